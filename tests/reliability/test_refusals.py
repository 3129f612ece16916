"""Where the system does not let pisess write, it says so in one line and changes nothing."""

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from builder import session, talk
from pisess_cli.core.errors import PisessError
from pisess_cli.core.manager import SessionManager
from pisess_cli.core.session import appender
from pisess_cli.core.session.appender import Appender, migrate_in_place
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.new_files import replace
from running import Pisess, unchanged

HERE = Path(__file__).resolve().parent


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return session().user("hi").assistant("yes").write(tmp_path)


def leaf_of(file: Path) -> object:
    leaf = Session(file).leaf
    assert leaf is not None
    return leaf.id


def by_pi(file: Path, entry_id: str) -> None:
    """What Pi does: no lock, one line, below what it takes for the leaf."""
    with file.open("ab") as other:
        other.write(b'{"type":"custom","id":"%s","parentId":null,"customType":"of-pi"}\n' % entry_id.encode())


# Pi writes while pisess does.


def test_an_entry_hangs_below_what_pi_has_written_since_the_lock_was_had(file: Path) -> None:
    with Appender(file) as appender:
        by_pi(file, "aaaa0001")
        made = appender.append("custom", {"customType": "note"})

    assert made.parent_id == "aaaa0001"
    assert leaf_of(file) == made.id


def test_a_torn_line_of_pi_takes_nothing_along(file: Path) -> None:
    with Appender(file) as appender:
        with file.open("ab") as other:
            other.write(b'{"type":"custom","id":"aa')
        made = appender.append("custom", {"customType": "note"})

    assert leaf_of(file) == made.id
    assert Session(file).whole.skipped == 1


def test_a_manager_knows_what_pi_wrote_beside_its_own_entry(file: Path) -> None:
    manager = SessionManager.open(file)
    real = os.write

    def after_pi(descriptor: int, data: bytes) -> int:
        by_pi(file, "aaaa0001")
        return real(descriptor, data)

    with mock.patch.object(appender.os, "write", after_pi):
        manager.append_custom_entry("note")
    manager.append_custom_entry("note")

    assert [entry.id for entry in manager.get_entries()] == [entry.id for entry in Session(file).tree.entries]


def test_an_old_file_that_pi_writes_to_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    file = talk().version(1).write(tmp_path)
    real = os.fsync

    def after_pi(descriptor: int) -> None:
        by_pi(file, "aaaa0001")
        real(descriptor)

    with mock.patch.object(appender.os, "fsync", after_pi), pytest.raises(PisessError, match="went on meanwhile"):
        migrate_in_place(file)

    assert (
        file.read_bytes()
        == talk().version(1).data + b'{"type":"custom","id":"aaaa0001","parentId":null,"customType":"of-pi"}\n'
    )
    assert list(tmp_path.iterdir()) == [file]


# The file vanishes, or loses its end.


def test_to_a_file_that_is_gone_nothing_is_written(file: Path) -> None:
    with Appender(file) as appender:
        file.unlink()
        with pytest.raises(PisessError, match="gone"):
            appender.append("custom", {"customType": "note"})

    assert list(file.parent.iterdir()) == []


def test_a_directory_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    file = session().user("hi").write(folder)

    with Appender(file) as appender:
        shutil.rmtree(folder)
        with pytest.raises(PisessError, match="gone"):
            appender.append("custom", {"customType": "note"})

    assert not folder.exists()


def test_a_file_that_was_cut_short_meanwhile_is_left_as_it_is(file: Path) -> None:
    first = file.read_bytes().index(b"\n") + 1

    with Appender(file) as appender:
        os.truncate(file, first)
        with pytest.raises(PisessError, match="cut short"):
            appender.append("custom", {"customType": "note"})

    assert file.stat().st_size == first


def test_a_file_whose_mode_cannot_be_set_leaves_nothing_behind(tmp_path: Path) -> None:
    refused = OSError(errno.EPERM, "Operation not permitted")
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"old\n")

    with (
        mock.patch.object(appender.os, "chmod", side_effect=refused),
        pytest.raises(PisessError, match="not permitted"),
    ):
        replace(path, [b"new\n"], 0o640)

    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old\n"


# No rights, no room.


class Place(NamedTuple):
    home: Path
    file: Path


@pytest.fixture
def place() -> Iterator[Place]:
    """A home that anybody can look into, unlike the folders of the tests."""
    home = Path(tempfile.mkdtemp())
    try:
        home.chmod(0o755)
        folder = home / "sessions"
        folder.mkdir()
        file = session(cwd=str(home)).user("hi").assistant("yes").write(folder)
        file.chmod(0o444)
        folder.chmod(0o555)
        yield Place(home, file)
    finally:
        (home / "sessions").chmod(0o755)
        shutil.rmtree(home)


def test_without_the_right_to_write_one_is_told_and_nothing_changes(place: Place) -> None:
    lines = [
        ["label", "mark"],
        ["checkout", "HEAD~1"],
        ["compact", "-m", "short", "--keep-none"],
        ["append", "message", "-m", "more"],
        ["name", "a name"],
        ["fork"],
        ["fork", "--at", "HEAD"],
        ["new", "-m", "hi"],
        ["mv", "--to", "/"],
    ]
    command = [sys.executable, str(HERE / "without_rights.py"), str(place.home), str(place.file), json.dumps(lines)]
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path)}

    with unchanged(place.file.parent):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    for words, (code, out, err) in zip(lines, outcomes, strict=True):
        assert (code, out) == (1, ""), (words, code, out, err)
        assert err.startswith("pisess: permission denied ("), (words, err)
        assert err.count("\n") == 1, (words, err)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("words", [["log", "-p"], ["log", "--oneline", "-n", "1"], ["show", "--json"], ["find"]])
def test_output_that_does_not_fit_is_a_failure(pisess: Pisess, words: list[str]) -> None:
    made = session()
    for number in range(200):
        made.user(f"words {number} " * 20)
    file = pisess.use(made)

    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pisess_cli", "-s", str(file), "--session-dir", str(file.parent), *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=pisess.env,
            timeout=60,
            check=False,
        )

    assert (done.returncode, done.stderr) == (1, b"pisess: no space left on device\n")


def test_a_reader_that_has_enough_is_no_failure(pisess: Pisess) -> None:
    made = session()
    for number in range(200):
        made.user(f"words {number} " * 100)
    file = pisess.use(made)

    with subprocess.Popen(
        [sys.executable, "-m", "pisess_cli", "-s", str(file), "log", "-p"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=pisess.env,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()

    assert (process.returncode, said) == (0, b"")
