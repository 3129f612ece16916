import errno
import fcntl
import json
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from builder import session, talk
from pisess_cli.core.errors import NotASession, PisessError
from pisess_cli.core.session import appender as module
from pisess_cli.core.session.appender import Appender, migrate_in_place
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage import locks
from pisess_cli.core.storage.new_files import create, replace
from running import only_appended, unchanged


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return session().user("hi").user("yes").write(tmp_path)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def note(appender: Appender, **how: Any) -> dict[str, Any]:
    made: dict[str, Any] = dict(appender.append("custom", {"customType": "note"}, **how).value)
    return made


# Appending.


def test_an_entry_is_appended_below_the_leaf(file: Path) -> None:
    leaf = lines(file)[-1]["id"]

    with only_appended(file), Appender(file) as appender:
        made = note(appender)

    assert made["parentId"] == leaf
    assert lines(file)[-1] == made


def test_each_entry_is_the_parent_of_the_next(file: Path) -> None:
    with Appender(file) as appender:
        first, second = note(appender), note(appender)

    assert second["parentId"] == first["id"]


def test_an_entry_can_hang_from_another_parent_and_is_the_leaf_then(file: Path) -> None:
    with Appender(file) as appender:
        root = note(appender, parent_id=None)
        below = note(appender)

    assert root["parentId"] is None
    assert below["parentId"] == root["id"]


def test_an_entry_has_the_time_that_is_given(file: Path) -> None:
    with Appender(file) as appender:
        made = note(appender, timestamp="2026-05-05T05:05:05.000Z")

    assert made["timestamp"] == "2026-05-05T05:05:05.000Z"


def test_the_first_entry_of_a_session_is_a_root(tmp_path: Path) -> None:
    with Appender(session().write(tmp_path)) as appender:
        assert note(appender)["parentId"] is None


def test_a_leaf_without_an_id_is_no_parent(tmp_path: Path) -> None:
    path = session().user("hi").raw("5").write(tmp_path)

    with Appender(path) as appender:
        assert note(appender)["parentId"] is None


def test_a_last_line_without_newline_gets_it_first(tmp_path: Path) -> None:
    path = session().user("hi").without_final_newline().write(tmp_path)

    with only_appended(path), Appender(path) as appender:
        note(appender)
        note(appender)

    assert len(lines(path)) == 4


def test_a_torn_last_line_stays_and_takes_nothing_along(tmp_path: Path) -> None:
    path = session().user("hi").torn().write(tmp_path)

    with only_appended(path), Appender(path) as appender:
        made = note(appender)

    assert path.read_bytes().split(b"\n")[-3] == b'{"type":"message","id":"dead'
    assert made["parentId"] == session().user("hi").id("hi")


def test_what_others_wrote_before_the_lock_was_had_counts(file: Path) -> None:
    stale = Session(file)
    assert stale.leaf is not None
    with Appender(file) as appender:
        other = note(appender)

    with Appender(file) as appender:
        assert note(appender)["parentId"] == other["id"]


def test_an_id_that_is_in_the_file_is_not_given_again(file: Path) -> None:
    taken = [lines(file)[1]["id"], "12345678", "12345678", "87654321"]
    uuids = iter(f"{start}-0000-4000-8000-000000000000" for start in taken)

    with mock.patch("uuid.uuid4", side_effect=lambda: next(uuids)), Appender(file) as appender:
        made = [note(appender)["id"], note(appender)["id"]]

    assert made == ["12345678", "87654321"]


def test_an_old_file_is_migrated_first(tmp_path: Path) -> None:
    path = talk().version(1).write(tmp_path)
    ids = [entry.id for entry in Session(path).tree.entries]

    with Appender(path) as appender:
        made = note(appender)

    assert [line["id"] for line in lines(path)[1:]] == [*ids, made["id"]]
    assert lines(path)[0]["version"] == 3


def test_only_a_session_is_written_to(tmp_path: Path) -> None:
    other = tmp_path / "notes.jsonl"
    other.write_text("my notes\n")

    with unchanged(tmp_path), pytest.raises(NotASession):
        Appender(other)


def test_a_directory_a_fifo_and_nothing_are_not_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.jsonl")

    for path in (tmp_path, tmp_path / "fifo.jsonl", tmp_path / "gone.jsonl"):
        with pytest.raises(PisessError):
            Appender(path)


def test_a_link_to_a_session_is_followed(tmp_path: Path, file: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)

    with only_appended(file), Appender(link) as appender:
        note(appender)

    assert link.is_symlink()


def test_the_mode_of_a_file_stays(file: Path) -> None:
    file.chmod(0o640)

    with Appender(file) as appender:
        note(appender)

    assert stat.S_IMODE(file.stat().st_mode) == 0o640


# Locks.


@contextmanager
def held_lock(file: Path) -> Iterator[None]:
    with file.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        yield


def test_while_another_pisess_writes_one_waits_and_then_gives_up(file: Path) -> None:
    with (
        held_lock(file),
        unchanged(file.parent),
        mock.patch.object(locks, "LOCK_WAIT_S", 0.05),
        pytest.raises(PisessError, match="another pisess is writing"),
    ):
        Appender(file)


def test_the_lock_ends_with_the_writing(file: Path) -> None:
    for _ in range(2):
        with Appender(file) as appender:
            note(appender)


def test_the_lock_ends_when_the_writing_fails(file: Path) -> None:
    with pytest.raises(ZeroDivisionError), Appender(file):
        raise ZeroDivisionError

    with Appender(file) as appender:
        note(appender)


def test_a_lock_is_on_the_file_that_has_the_name(tmp_path: Path, file: Path) -> None:
    other = session().user("new").write(tmp_path / "other.jsonl")
    replaced: list[Path] = []

    def replace_once(descriptor: int, path: Path) -> None:
        if not replaced:
            replaced.append(other.replace(path))

    with mock.patch.object(locks, "_lock", replace_once), Appender(file) as appender:
        made = note(appender)

    assert made["parentId"] == session().user("new").id("new")
    assert lines(file)[-1] == made


def test_a_lock_leaves_nothing_behind(file: Path) -> None:
    with Appender(file) as appender:
        note(appender)

    assert list(file.parent.iterdir()) == [file]


def test_processes_that_write_at_the_same_time_lose_nothing(file: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom pisess_cli.core.session.appender import Appender\n"
        "for number in range(25):\n"
        "    with Appender(Path(sys.argv[1])) as appender:\n"
        "        appender.append('custom', {'customType': sys.argv[2] + str(number)})\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(file), name]) for name in "abc"]

    assert [process.wait(timeout=60) for process in writers] == [0, 0, 0]

    written = lines(file)[3:]
    assert sorted(line["customType"] for line in written) == sorted(f"{n}{i}" for n in "abc" for i in range(25))
    assert [line["parentId"] for line in written[1:]] == [line["id"] for line in written[:-1]]


# Full disks.


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond that size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("room", [0, 1, 50])
def test_where_a_line_does_not_fit_nothing_is_written(file: Path, room: int) -> None:
    before = file.read_bytes()

    with room_for(len(before) + room), pytest.raises(PisessError), Appender(file) as appender:
        note(appender)

    assert file.read_bytes() == before


def test_a_line_that_got_there_in_part_is_left_if_someone_wrote_behind_it(file: Path) -> None:
    before = file.read_bytes()

    def half_a_line(descriptor: int, data: bytes) -> int:
        with file.open("ab") as other:
            other.write(data[:10] + b"other\n")
        return 10

    with (
        mock.patch.object(module.os, "write", half_a_line),
        pytest.raises(PisessError, match="disk is full"),
        Appender(file) as appender,
    ):
        note(appender)

    assert file.read_bytes().startswith(before)
    assert file.read_bytes().endswith(b"other\n")


def test_what_the_system_refuses_is_an_error_that_names_the_file(file: Path) -> None:
    refused = OSError(errno.EIO, "Input/output error")

    with (
        unchanged(file.parent),
        mock.patch.object(module.os, "write", side_effect=refused),
        pytest.raises(PisessError, match=r"input/output error \(.*session\.jsonl\)"),
        Appender(file) as appender,
    ):
        note(appender)


# New files.


def test_a_new_file_is_private_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "new.jsonl"

    create(path, [b"a\n", b"b\n"])

    assert path.read_bytes() == b"a\nb\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_a_name_that_is_taken_is_left_alone(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "new.jsonl"
    make(path)
    before = sorted(tmp_path.iterdir())

    with pytest.raises(PisessError, match="exists"):
        create(path, [b"a\n"])

    assert sorted(tmp_path.iterdir()) == before
    assert path.is_symlink() or path.is_dir() or path.read_bytes() == b""


def test_a_new_file_that_does_not_fit_does_not_appear(tmp_path: Path) -> None:
    with room_for(10), pytest.raises(PisessError):
        create(tmp_path / "new.jsonl", [b"x" * 100_000])

    assert list(tmp_path.iterdir()) == []


def test_a_new_file_that_is_broken_off_does_not_appear(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"a\n"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create(tmp_path / "new.jsonl", chunks())

    assert list(tmp_path.iterdir()) == []


def test_in_a_directory_that_is_not_there_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(PisessError, match="gone"):
        create(tmp_path / "gone" / "new.jsonl", [b"a\n"])

    assert list(tmp_path.iterdir()) == []


# Replacing and migrating.


def test_a_replaced_file_has_the_mode_that_is_asked_for(file: Path) -> None:
    replace(file, [b"new\n"], 0o640)

    assert file.read_bytes() == b"new\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(file.parent.iterdir()) == [file]


def test_a_replacement_that_fails_leaves_the_old_file(file: Path) -> None:
    with unchanged(file.parent), room_for(10), pytest.raises(PisessError):
        replace(file, [b"x" * 100_000], 0o600)


def test_migrating_keeps_the_mode_and_every_line_that_is_no_json(tmp_path: Path) -> None:
    path = session().user("hi").raw("{torn").raw(b"\x00\xff").user("yes").version(1).write(tmp_path)
    path.chmod(0o640)

    assert migrate_in_place(path)

    written = path.read_bytes().split(b"\n")
    assert written[2:4] == [b"{torn", b"\x00\xff"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [entry.message["content"] for entry in Session(path).tree.entries] == ["hi", "yes"]


def test_a_current_file_is_not_migrated(tmp_path: Path, file: Path) -> None:
    with unchanged(tmp_path):
        assert not migrate_in_place(file)


def test_migrating_follows_a_link(tmp_path: Path) -> None:
    path = session().user("hi").version(1).write(tmp_path)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)

    migrate_in_place(link)

    assert link.is_symlink()
    assert lines(path)[0]["version"] == 3


def test_the_old_file_stays_where_it_is_asked_for(tmp_path: Path) -> None:
    path = session().user("hi").version(1).write(tmp_path)
    before = path.read_bytes()

    migrate_in_place(path, backup=tmp_path / "old.jsonl")

    assert (tmp_path / "old.jsonl").read_bytes() == before
    assert path.read_bytes() != before


def test_a_backup_takes_nobodys_place(tmp_path: Path, file: Path) -> None:
    path = session().user("hi").version(1).write(tmp_path / "old.jsonl")

    with unchanged(tmp_path), pytest.raises(PisessError, match="exists"):
        migrate_in_place(path, backup=file)
