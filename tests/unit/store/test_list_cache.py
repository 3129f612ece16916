import os
from collections.abc import Callable
from pathlib import Path

import pytest

from builder import SessionBuilder, session, text
from pisess_cli.core.storage import blocks
from pisess_cli.core.store import list_cache, listing
from pisess_cli.core.store.list_cache import Cache, open_cache
from pisess_cli.core.store.listing import SessionInfo, list_sessions


class Sessions:
    """A directory of sessions and the cache of it. Each list is a command of its own: it opens the cache anew."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root / "sessions"
        self.root.mkdir()
        self.cache_dir = root / "cache"
        self.read: list[tuple[int, int]] = []
        self._clock = 1_000
        self._watch(monkeypatch)

    def _watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        original = blocks.BlockReader.blocks

        def watched(reader: blocks.BlockReader, descriptor: int, start: int, end: int) -> object:
            self.read.append((start, end))
            return original(reader, descriptor, start, end)

        monkeypatch.setattr(blocks.BlockReader, "blocks", watched)

    @property
    def cache_file(self) -> Path:
        [file] = self.cache_dir.iterdir()
        return file

    def write(self, name: str, data: bytes | SessionBuilder) -> Path:
        """Writes the file anew; every write has a later time of its own, long ago."""
        path = self.root / name
        path.write_bytes(data.data if isinstance(data, SessionBuilder) else data)
        return self._aged(path)

    def append(self, name: str, data: bytes) -> Path:
        path = self.root / name
        with path.open("ab") as file:
            file.write(data)
        return self._aged(path)

    def _aged(self, path: Path) -> Path:
        self._clock += 10
        os.utime(path, (self._clock, self._clock))
        return path

    def listed(self) -> list[SessionInfo]:
        self.read = []
        return list_sessions(sorted(self.root.iterdir()), Cache(self.cache_dir))

    def counts(self) -> list[int]:
        return sorted(info.message_count for info in self.listed())


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    return Sessions(tmp_path, monkeypatch)


def test_a_file_that_has_not_changed_is_not_read_again(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session("a", parentSession="/p").name("n").user("hi").assistant("yes"))
    sessions.write("b.jsonl", session("b", timestamp="never"))
    first = sessions.listed()

    again = sessions.listed()

    assert again == first
    assert sessions.read == []


def test_another_time_alone_makes_it_read_again(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session().user("one"))
    sessions.listed()
    sessions.write("a.jsonl", session().user("two"))

    [info] = sessions.listed()

    assert info.first_message == "two"


def test_another_time_alone_makes_it_read_again_whole(sessions: Sessions) -> None:
    end = "the same end, " * 30
    sessions.write("a.jsonl", session().user("one").user(end))
    sessions.listed()
    sessions.write("a.jsonl", session().user("two").user(end))

    [info] = sessions.listed()

    assert info.first_message == "two"


def test_a_file_that_took_the_name_is_another_one(sessions: Sessions) -> None:
    old = sessions.write("a.jsonl", session().user("one"))
    sessions.listed()
    new = sessions.write("new", session().user("two"))
    os.utime(new, ns=(old.stat().st_mtime_ns, old.stat().st_mtime_ns))
    new.replace(old)

    [info] = sessions.listed()

    assert info.first_message == "two"


def test_another_file_that_ends_alike_is_read_whole(sessions: Sessions) -> None:
    end = "the same end, " * 30
    old = sessions.write("a.jsonl", session().user("one").user(end))
    sessions.listed()
    sessions.write("new", session().user("two").user(end).user("and more")).replace(old)

    [info] = sessions.listed()

    assert info.first_message == "two"


def test_a_grown_file_is_read_from_where_it_ended(sessions: Sessions) -> None:
    story = session().name("old").user("one").assistant("two")
    before = story.data
    sessions.write("a.jsonl", before)
    sessions.listed()
    sessions.append("a.jsonl", story.name("new").user("three").data.removeprefix(before))

    [info] = sessions.listed()

    assert (info.message_count, info.name, info.first_message) == (3, "new", "one")
    assert sessions.read == [(len(before), len(story.data))]


def test_a_line_that_was_torn_counts_once_when_it_is_whole(sessions: Sessions) -> None:
    whole = session().user("one").user("two").data
    sessions.write("a.jsonl", whole[:-20])
    assert sessions.counts() == [1]
    sessions.append("a.jsonl", whole[-20:])

    assert sessions.counts() == [2]


def test_a_last_line_without_newline_counts_once_when_more_follows(sessions: Sessions) -> None:
    whole = session().user("one").user("two").data
    sessions.write("a.jsonl", whole[:-1])
    assert sessions.counts() == [2]
    sessions.append("a.jsonl", b"\n" + session().user("three").lines[1])

    assert sessions.counts() == [3]


def test_a_file_that_was_rewritten_and_is_longer_is_read_whole(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session().user("one").user("two"))
    sessions.listed()
    sessions.write("a.jsonl", session("other").assistant("x").user("four words or more").user("five"))

    [info] = sessions.listed()

    assert (info.id, info.message_count, info.first_message) == ("other", 3, "four words or more")


def test_a_file_that_was_cut_is_read_whole(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session().user("one").user("two"))
    sessions.listed()
    sessions.write("a.jsonl", session().user("one"))

    assert sessions.counts() == [1]


def test_a_file_that_has_just_changed_is_not_trusted(sessions: Sessions) -> None:
    path = sessions.write("a.jsonl", session().user("one"))
    path.touch()
    sessions.listed()

    sessions.listed()

    assert len(sessions.read) == 1


def test_listing_twice_with_one_cache_adds_nothing_twice(sessions: Sessions) -> None:
    path = sessions.write("a.jsonl", session().user("one"))
    sessions.listed()
    sessions.append("a.jsonl", session().user("two").lines[1] + b"\n").touch()
    kept = Cache(sessions.cache_dir)

    counts = [list_sessions([path], kept)[0].message_count for _ in range(2)]

    assert counts == [2, 2]


def shortened(data: bytes) -> bytes:
    return data[: len(data) // 2]


def with_a_bit_turned(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


@pytest.mark.parametrize("spoil", [shortened, with_a_bit_turned, lambda _: b"", lambda _: b"\0" * 100, bytes.upper])
def test_a_broken_cache_is_made_anew(sessions: Sessions, spoil: Callable[[bytes], bytes]) -> None:
    sessions.write("a.jsonl", session().user("one"))
    first = sessions.listed()
    sessions.cache_file.write_bytes(spoil(sessions.cache_file.read_bytes()))

    assert sessions.listed() == first
    assert len(sessions.read) == 1
    assert sessions.listed() == first
    assert sessions.read == []


def test_a_cache_of_another_version_is_made_anew(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions.write("a.jsonl", session().user("one"))
    sessions.listed()
    monkeypatch.setattr(list_cache, "_VERSION", 1_000)

    sessions.listed()

    assert len(sessions.read) == 1


def test_a_deleted_cache_is_made_anew(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session().user("one"))
    first = sessions.listed()
    sessions.cache_file.unlink()

    assert sessions.listed() == first
    assert sessions.cache_file.exists()


def test_a_cache_that_can_go_nowhere_is_none(sessions: Sessions) -> None:
    sessions.cache_dir.write_text("a file has the directory's name")
    sessions.write("a.jsonl", session().user("one"))

    assert sessions.counts() == [1]
    assert sessions.cache_dir.read_text() == "a file has the directory's name"


def test_a_cache_that_cannot_be_replaced_leaves_nothing_behind(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session().user("one"))
    sessions.listed()
    name = sessions.cache_file.name
    sessions.cache_file.unlink()
    (sessions.cache_dir / name).mkdir()

    assert sessions.counts() == [1]
    assert [path.name for path in sessions.cache_dir.iterdir()] == [name]


def test_the_cache_is_the_user_s_alone(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session().user("secret"))
    sessions.listed()

    assert sessions.cache_file.stat().st_mode & 0o777 == 0o600
    assert sessions.cache_dir.stat().st_mode & 0o777 == 0o700


def test_two_commands_at_once_lose_nothing(sessions: Sessions) -> None:
    paths = [sessions.write(name, session(name).user("x")) for name in ("a.jsonl", "b.jsonl")]
    caches = [Cache(sessions.cache_dir) for _ in paths]
    for path, own in zip(paths, caches, strict=True):
        list_sessions([path], own)

    sessions.listed()

    assert sessions.read == []


def test_a_file_that_is_gone_leaves_the_cache(sessions: Sessions) -> None:
    gone = sessions.write("a.jsonl", session().user("a word that nobody else says"))
    sessions.listed()
    gone.unlink()
    sessions.write("b.jsonl", session().user("b"))

    sessions.listed()

    assert b"a word that nobody" not in sessions.cache_file.read_bytes()


def test_text_that_is_not_in_utf_8_keeps_nothing_else_out(sessions: Sessions) -> None:
    lone = session().raw(rb'{"type":"message","message":{"role":"user","content":"\ud800"}}')
    sessions.write("a.jsonl", lone)
    sessions.write("b.jsonl", session().user("b"))
    first = sessions.listed()

    assert sessions.listed() == first
    assert sessions.read == [(0, len(lone.data))]


def test_a_name_that_is_not_in_utf_8_is_kept(sessions: Sessions) -> None:
    sessions.write(os.fsdecode(b"\xff.jsonl"), session().user("b"))
    sessions.listed()

    assert sessions.counts() == [1]
    assert sessions.read == []


def test_a_huge_first_message_is_not_kept(sessions: Sessions) -> None:
    sessions.write("a.jsonl", session().user([text("x" * 300_000)]))
    sessions.listed()

    assert sessions.counts() == [1]
    assert len(sessions.read) == 1


def test_a_variable_turns_the_cache_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert open_cache({"PISESS_NO_CACHE": "1"}) is None
    assert open_cache({"PISESS_NO_CACHE": ""}) is not None


def test_without_a_cache_every_list_reads(sessions: Sessions) -> None:
    path = sessions.write("a.jsonl", session().user("one"))
    for _ in range(2):
        listing.list_sessions([path])

    assert len(sessions.read) == 2
