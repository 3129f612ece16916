from contextlib import suppress
from pathlib import Path

import pytest

from builder import session
from pisess_cli.core.errors import PisessError, Refused
from pisess_cli.core.storage.new_files import new_file, new_folder


def write(path: Path, text: str, *, overwrite: bool = False, source: Path | None = None) -> None:
    with new_file(path, overwrite=overwrite, source=source) as temporary:
        temporary.write_text(text)


def write_folder(path: Path, *, overwrite: bool = False, **texts: str) -> None:
    with new_folder(path, overwrite=overwrite) as temporary:
        for name, text in texts.items():
            (temporary / name).write_text(text)


def test_a_new_file_is_private(tmp_path: Path) -> None:
    write(tmp_path / "out", "text")

    assert (tmp_path / "out").read_text() == "text"
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")

    with pytest.raises(Refused, match="exists"):
        write(tmp_path / "out", "new")

    assert (tmp_path / "out").read_text() == "old"


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    writing = new_file(tmp_path / "out", overwrite=False)
    writing.__enter__().write_text("new")
    (tmp_path / "out").write_text("other")

    with pytest.raises(Refused, match="exists"):
        writing.__exit__(None, None, None)

    assert (tmp_path / "out").read_text() == "other"


def test_forced_it_is(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")

    write(tmp_path / "out", "new", overwrite=True)

    assert (tmp_path / "out").read_text() == "new"


def test_nothing_changes_when_the_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")

    with suppress(RuntimeError), new_file(tmp_path / "out", overwrite=True) as temporary:
        temporary.write_text("half")
        raise RuntimeError

    assert (tmp_path / "out").read_text() == "old"
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_session_is_not_overwritten_even_if_forced(tmp_path: Path) -> None:
    path = session().user("hi").write(tmp_path)

    with pytest.raises(Refused, match="a session is not overwritten"):
        write(path, "page", overwrite=True)


def test_a_session_can_take_the_place_of_another_but_not_of_its_source(tmp_path: Path) -> None:
    source = session().user("hi").write(tmp_path / "source.jsonl")
    other = session().user("hi").write(tmp_path / "other.jsonl")
    (tmp_path / "link.jsonl").symlink_to(source)

    write(other, "copy", overwrite=True, source=source)
    for name in ("source.jsonl", "link.jsonl"):
        with pytest.raises(Refused, match="a session is not overwritten"):
            write(tmp_path / name, "copy", overwrite=True, source=source)

    assert other.read_text() == "copy"


def test_what_is_no_regular_file_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="not a regular file"):
        write(tmp_path, "text", overwrite=True)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PisessError, match=r"no such file or directory \(.*missing\)"):
        write(tmp_path / "missing" / "out", "text")


def test_a_new_folder_is_private_and_so_are_its_files(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", a="1")

    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "out" / "a").stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_folder_that_exists_is_not_written_to_unless_forced(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", a="1", b="1")

    with pytest.raises(Refused, match="exists"):
        write_folder(tmp_path / "out", a="2")
    write_folder(tmp_path / "out", overwrite=True, a="3")

    assert {file.name: file.read_text() for file in (tmp_path / "out").iterdir()} == {"a": "3", "b": "1"}


def test_a_file_does_not_become_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")

    with pytest.raises(Refused, match="not a folder"):
        write_folder(tmp_path / "out", overwrite=True, a="1")
