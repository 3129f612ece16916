"""The marks of large sessions are kept; here every session is large."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builder import SessionBuilder, session
from pisess_cli.core.storage import id_index as module
from pisess_cli.core.storage import session_file
from pisess_cli.core.storage.id_index import IdIndex, cached_id_index, read_id_index
from pisess_cli.core.storage.session_file import SessionFile


class Place:
    """A session, its cache, and which parts of the session were read."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = root / "session.jsonl"
        self.cache = root / "cache"
        self.starts: list[int] = []
        self._clock = 1_000
        monkeypatch.setenv("XDG_CACHE_HOME", str(self.cache))
        monkeypatch.setattr(module, "_WORTH_WRITING", 1)
        original = session_file.SessionFile.blocks

        def watched(file: SessionFile, start: int = 0) -> object:
            self.starts.append(start)
            return original(file, start)

        monkeypatch.setattr(session_file.SessionFile, "blocks", watched)

    @property
    def kept(self) -> list[Path]:
        return sorted((self.cache / "pisess" / "marks").glob("*"))

    def write(self, data: bytes | SessionBuilder, *, path: Path | None = None) -> Path:
        """Writes the file in place; every write has a later time of its own, long ago."""
        path = path or self.path
        path.touch()
        with path.open("r+b") as file:
            file.truncate()
            file.write(data if isinstance(data, bytes) else data.data)
        self._clock += 10
        os.utime(path, (self._clock, self._clock))
        return path

    def marks(self, environment: dict[str, str] | None = None, *, path: Path | None = None) -> IdIndex:
        """What a command finds, which has to be what the file says; notes where it began to read."""
        file = SessionFile(path or self.path)
        expected = read_id_index(file)
        self.starts.clear()
        found = cached_id_index(file, environment or {})
        assert found.ids == expected.ids
        assert [entry.raw for entry in found.entries] == [entry.raw for entry in expected.entries]
        return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def story() -> SessionBuilder:
    return session().user("one").label("good").assistant("two").name("a name")


def test_a_session_that_has_not_changed_is_not_read_again(place: Place) -> None:
    place.write(story())
    place.marks()

    place.marks()

    assert place.starts == [len(story().data)]


def test_a_session_that_has_grown_is_read_from_where_it_ended(place: Place) -> None:
    place.write(story())
    place.marks()
    place.write(story().user("three").label("better"))

    found = place.marks()

    assert place.starts == [len(story().data)]
    assert [entry.value.get("label") for entry in found.entries if entry.type == "label"] == ["good", "better"]


def test_little_that_was_added_is_not_written_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(story())
    place.marks()
    monkeypatch.setattr(module, "_WORTH_WRITING", 1_000_000)
    place.write(story().user("three"))
    place.marks()

    place.marks()

    assert place.starts == [len(story().data)]


@pytest.mark.parametrize(
    "other",
    [
        session().user("two").label("good").assistant("two").name("a name"),
        session().user("one").label("evil").assistant("two").name("a name").user("more"),
        session().user("one"),
        session("other").user("another one, and longer than it was").label("x").name("y"),
    ],
    ids=["as long as before", "longer", "shorter", "another"],
)
def test_a_session_that_was_rewritten_is_read_whole(place: Place, other: SessionBuilder) -> None:
    place.write(story())
    place.marks()
    place.write(other)

    place.marks()

    assert place.starts == [0]


def test_another_file_of_the_name_is_read_whole(place: Place) -> None:
    old = place.write(story())
    place.marks()
    new = place.write(story().user("three"), path=place.path.with_name("new"))
    new.replace(old)

    place.marks()

    assert place.starts == [0]


def test_a_session_that_has_just_changed_is_not_kept(place: Place) -> None:
    place.write(story()).touch()

    place.marks()

    assert place.kept == []


def test_a_torn_line_is_not_kept(place: Place) -> None:
    place.write(story().data[:-5])

    place.marks()

    assert place.kept == []


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-9], lambda data: data[:-3] + b"abc", lambda _: b"", lambda _: b"\0" * 100]
)
def test_what_was_spoilt_is_made_anew(place: Place, spoil: Callable[[bytes], bytes]) -> None:
    place.write(story())
    place.marks()
    [kept] = place.kept
    kept.write_bytes(spoil(kept.read_bytes()))

    place.marks()
    assert place.starts == [0]
    place.marks()
    assert place.starts == [len(story().data)]


def test_what_another_version_kept_is_made_anew(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(story())
    place.marks()
    monkeypatch.setattr(module, "_VERSION", 1_000)

    place.marks()

    assert place.starts == [0]


def test_a_cache_that_can_go_nowhere_is_none(place: Place) -> None:
    place.write(story())
    place.cache.write_text("a file has the directory's name")

    place.marks()

    assert place.cache.read_text() == "a file has the directory's name"


def test_a_variable_turns_it_off(place: Place) -> None:
    place.write(story())

    place.marks({"PISESS_NO_CACHE": "1"})

    assert place.kept == []


def test_what_is_kept_is_the_user_s_alone(place: Place) -> None:
    place.write(story())
    place.marks()

    [kept] = place.kept
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700


def test_what_is_of_a_session_that_is_gone_goes_too(place: Place) -> None:
    gone = place.write(story(), path=place.path.with_name("gone.jsonl"))
    place.marks(path=gone)
    gone.unlink()
    place.write(session().user("another inode").name("b").label("c"))

    place.marks()

    [kept] = place.kept
    assert b"gone.jsonl" not in kept.read_bytes()


def test_so_many_are_kept_and_no_more(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 2)
    paths = [place.write(story(), path=place.path.with_name(f"{number}.jsonl")) for number in range(3)]
    for number, path in enumerate(paths):
        place.marks(path=path)
        for kept in place.kept:
            if kept.stat().st_mtime > time.time() - 1_000:
                os.utime(kept, (number, number))

    assert len(place.kept) == 2
    place.marks(path=paths[-1])
    assert place.starts == [len(story().data)]


def test_ids_and_labels_that_are_no_unicode_are_kept(place: Place) -> None:
    place.write(
        session()
        .raw(rb'{"type":"message","id":"\ud800","parentId":null,"message":{}}')
        .raw(rb'{"type":"label","id":"two\nlines","parentId":null,"targetId":"\ud800","label":"\ud83d"}')
    )
    place.marks()

    found = place.marks()

    assert found.ids >= {"\ud800".encode("utf-8", "surrogatepass"), b"two\nlines"}
