import os
from collections.abc import Callable
from pathlib import Path

import pytest

from builder import SessionBuilder, session, talk
from pisess_cli.core.errors import PisessError, Refused
from pisess_cli.core.session.session import Session
from pisess_cli.core.store import moving as module
from pisess_cli.core.store.moving import Move, move_session, named_as_parent, plan_move


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The folder of the old project's sessions."""
    folder = tmp_path / "sessions" / "--home-me-app--"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Where the project is now."""
    directory = tmp_path / "new"
    directory.mkdir()
    return directory


def folder_of(project: Path, old: Path) -> Path:
    return old.parent / f"--{str(project)[1:].replace('/', '-')}--"


def put(builder: SessionBuilder, folder: Path) -> Path:
    return builder.write(folder / "2026_a.jsonl")


def move(path: Path, project: Path) -> Move:
    planned = plan_move(Session(path), project)
    move_session(planned)
    return planned


# Where it goes.


def test_in_a_layout_by_project_the_file_goes_to_the_new_projects_folder(old: Path, project: Path) -> None:
    planned = plan_move(Session(put(talk(), old)), project)

    assert planned == Move(old / "2026_a.jsonl", folder_of(project, old) / "2026_a.jsonl", "/home/me/app", str(project))


def test_in_a_flat_layout_it_stays(tmp_path: Path, project: Path) -> None:
    path = put(talk(), tmp_path)

    assert plan_move(Session(path), project).target == path


def test_the_project_is_its_real_directory(tmp_path: Path, project: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project)

    assert plan_move(Session(put(talk(), tmp_path)), link).cwd == str(project)


def test_a_project_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PisessError, match="no such directory"):
        plan_move(Session(put(talk(), tmp_path)), tmp_path / "nowhere")


def test_a_link_to_a_session_is_refused(old: Path, tmp_path: Path, project: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(put(talk(), old))

    with pytest.raises(Refused, match="a link"):
        plan_move(Session(link), project)


def test_a_session_that_is_there_already_changes_nothing(old: Path, project: Path) -> None:
    there = folder_of(project, old)
    there.mkdir()

    assert plan_move(Session(put(session(cwd=str(project)), there)), project).changes_nothing
    assert not plan_move(Session(put(session(cwd=str(project)), old)), project).changes_nothing


# What changes.

KEEPS_BYTES = '{ "type":"session",  "version":3, "n":1.0, "cwd":"/old\\u0041", "id":"a", "big":12345678901234567890}'


@pytest.mark.parametrize("by_project", [True, False])
def test_only_the_headers_cwd_changes(old: Path, tmp_path: Path, project: Path, by_project: bool) -> None:
    rest = b'\n{"type":"custom","n":1e400}\nno JSON\n\xff\n'
    path = (old if by_project else tmp_path) / "a.jsonl"
    path.write_bytes(KEEPS_BYTES.encode() + rest)

    moved = move(path, project)

    expected = KEEPS_BYTES.replace('"/old\\u0041"', f'"{project}"').encode() + rest
    assert moved.target.read_bytes() == expected
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [moved.target]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'bad line\n{"type":"session","version":3,"id":"a","cwd":"/o"}', b'bad line\n{"type":"session","version":3,"id":"a","cwd":"%s"}'),
        (b'{"type":"session","version":3,"id":"a"}\n', b'{"type":"session","version":3,"id":"a","cwd":"%s"}\n'),
        (b'{"type":"session","version":3,"id":"a","cwd":7}\n', b'{"type":"session","version":3,"id":"a","cwd":"%s"}\n'),
        (b'{"type":"session","version":3,"id":"a","cwd":"/o"}\n{"type":"session","id":"b","cwd":"/o"}\n', b'{"type":"session","version":3,"id":"a","cwd":"%s"}\n{"type":"session","id":"b","cwd":"/o"}\n'),
    ],
    ids=["after a bad line, unended", "without a cwd", "with a number", "with a second header"],
)  # fmt: skip
def test_odd_headers_get_their_cwd(old: Path, project: Path, data: bytes, expected: bytes) -> None:
    path = old / "a.jsonl"
    path.write_bytes(data)

    assert move(path, project).target.read_bytes() == expected % str(project).encode()


@pytest.mark.parametrize("by_project", [True, False])
def test_mode_and_modification_time_stay(old: Path, tmp_path: Path, project: Path, by_project: bool) -> None:
    path = put(talk(), old if by_project else tmp_path)
    path.chmod(0o640)
    os.utime(path, (1_000, 2_000))

    status = move(path, project).target.stat()

    assert (status.st_mode & 0o777, status.st_mtime) == (0o640, 2_000)


def test_a_new_folder_is_private(old: Path, project: Path) -> None:
    moved = move(put(talk(), old), project)

    assert moved.target.parent.stat().st_mode & 0o777 == 0o700


def test_an_old_version_is_migrated(old: Path, project: Path) -> None:
    moved = move(put(talk().version(1), old), project)

    header = Session(moved.target).file.header
    assert (header.version, header.cwd) == (3, str(project))


# What goes wrong.


def test_a_name_that_is_taken_is_an_error_and_both_files_stay(old: Path, project: Path) -> None:
    path = put(talk(), old)
    folder_of(project, old).mkdir()
    other = put(session("other").user("hi"), folder_of(project, old))
    before = path.read_bytes(), other.read_bytes()

    with pytest.raises(PisessError, match="file exists"):
        move(path, project)

    assert (path.read_bytes(), other.read_bytes()) == before


WRITING_CALLS = ("mkdir", "link", "chmod", "utime", "fsync", "unlink", "rename", "replace")


def ends_before_call(number: int, planned: Move) -> bool:
    """Moves in a process that ends, untidied, before that one of its calls that write; whether it did."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    left = iter(range(number))

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*args: object, **named: object) -> object:
            if next(left, None) is None:
                os._exit(1)
            return call(*args, **named)

        return wrapper

    for name in WRITING_CALLS:
        setattr(os, name, counted(getattr(os, name)))
    try:
        move_session(planned)
    finally:
        os._exit(0)


@pytest.mark.parametrize("by_project", [True, False])
def test_a_process_that_ends_at_any_call_leaves_the_session_whole_and_a_second_try_works(
    old: Path, tmp_path: Path, project: Path, by_project: bool
) -> None:
    path = (old if by_project else tmp_path) / "a.jsonl"
    before = talk().data
    after = before.replace(b'"/home/me/app"', f'"{project}"'.encode())
    number = 0
    ended = True
    while ended:
        path.write_bytes(before)
        planned = plan_move(Session(path), project)

        ended = ends_before_call(number, planned)

        left = {file: file.read_bytes() for file in (path, planned.target) if file.exists()}
        assert left
        assert set(left.values()) <= {before, after}
        if left.get(path) == before:
            move_session(planned)
        assert planned.target.read_bytes() == after
        assert sorted(tmp_path.rglob("*.jsonl")) == [planned.target]
        planned.target.unlink()
        number += 1
    assert number > 5


def test_a_file_that_holds_less_is_not_taken_for_an_earlier_try(old: Path, project: Path) -> None:
    path = put(talk(), old)
    folder_of(project, old).mkdir()
    put(session(cwd=str(project)), folder_of(project, old))

    with pytest.raises(PisessError, match="file exists"):
        move(path, project)

    assert path.read_bytes() == talk().data


def test_a_second_try_keeps_what_was_added_to_the_new_file_meanwhile(old: Path, project: Path) -> None:
    path = put(talk(), old)
    data = path.read_bytes()
    moved = move(path, project)
    with moved.target.open("ab") as file:
        file.write(b'{"type":"custom"}\n')
    grown = moved.target.read_bytes()
    path.write_bytes(data)

    move_session(moved)

    assert moved.target.read_bytes() == grown
    assert not path.exists()


@pytest.fixture
def pi_writes(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Lets Pi append a line to the file just when its copy has been made."""

    def arrange(path: Path) -> None:
        create = module.create

        def slow(*args: object) -> None:
            create(*args)  # type: ignore[arg-type]
            with path.open("ab") as file:
                file.write(b'{"type":"message","id":"ffffffff"}\n')

        monkeypatch.setattr(module, "create", slow)

    return arrange


@pytest.mark.parametrize("by_project", [True, False])
def test_what_pi_writes_meanwhile_is_not_lost(
    old: Path, tmp_path: Path, project: Path, pi_writes: Callable[[Path], None], by_project: bool
) -> None:
    path = put(talk(), old if by_project else tmp_path)
    pi_writes(path)

    with pytest.raises(Refused, match="went on"):
        move(path, project)

    assert path.read_bytes().endswith(b'"ffffffff"}\n')
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [path]


def test_a_folder_that_may_not_be_changed_leaves_the_session_where_it_was(
    old: Path, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(talk(), old)
    unlink = Path.unlink

    def refuse(self: Path, missing_ok: bool = False) -> None:
        if self == path:
            raise PermissionError(13, "Permission denied", str(self))
        unlink(self, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)

    with pytest.raises(PisessError, match="permission denied"):
        move(path, project)

    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [path]


# Who names it as its parent.


def test_the_sessions_that_name_the_file_as_their_parent_are_found(old: Path, tmp_path: Path) -> None:
    path = put(talk(), old)
    link = tmp_path / "linked"
    link.symlink_to(old.parent)
    fork = session("b", parentSession=str(path)).write(old / "b.jsonl")
    by_link = session("c", parentSession=str(link / old.name / path.name)).write(old / "c.jsonl")
    for number, parent in enumerate((b'"/elsewhere.jsonl"', b'""', b"5", b"null", b'"a\\u0000b"', b'"\\ud800"')):
        data = session(str(number), parentSession="PARENT").data.replace(b'"PARENT"', parent)
        (old / f"{number}.jsonl").write_bytes(data)

    assert named_as_parent(old.parent, path) == [fork, by_link]
