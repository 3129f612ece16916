"""What a list says of a file is what the file's entries add up to, read in whatever portions."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

import hostile
from pisess_cli.core.errors import NotASession
from pisess_cli.core.format.times import iso, parse_ms
from pisess_cli.core.storage import blocks
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.storage.whole_file import Whole
from pisess_cli.core.store.list_cache import Cache
from pisess_cli.core.store.listing import SessionInfo, list_sessions
from pisess_cli.core.tree.tree import Tree

LAST_DATE_MS = 253_402_300_799_999
block_sizes = st.sampled_from([1, 64, 300, 10_000])


def write(path: Path, data: bytes, seconds: int) -> None:
    """Writes the file, long ago."""
    path.write_bytes(data)
    os.utime(path, (seconds, seconds))


def whole_or_none(path: Path) -> Whole | None:
    try:
        return Whole(SessionFile(path))
    except NotASession:
        return None


def modified(whole: Whole) -> float | None:
    """The latest time of a user or assistant message that has content, if it is above zero."""
    times: list[float] = []
    for entry in whole.entries:
        message = entry.message
        if entry.type == "message" and message.get("role") in ("user", "assistant") and "content" in message:
            time = message.get("timestamp")
            is_number = isinstance(time, int | float) and not isinstance(time, bool)
            times.append(time if is_number else parse_ms(entry.timestamp) or 0)
    latest = max(times, default=0)
    return latest if latest > 0 else parse_ms(whole.header.value.get("timestamp"))


@settings(deadline=None)
@given(hostile.files, block_sizes)
def test_a_list_says_what_the_entries_say(data: bytes, block: int) -> None:
    with TemporaryDirectory() as folder, mock.patch.object(blocks, "_BLOCK", block):
        path = Path(folder) / "session.jsonl"
        write(path, data, 1_000)

        infos = list_sessions([path])

        whole = whole_or_none(path)
        if whole is None:
            assert infos == []
            return
        [info] = infos
        assert (info.id, info.cwd or None) == (whole.header.id, whole.header.cwd or None)
        assert info.message_count == sum(entry.type == "message" for entry in whole.entries)
        assert info.name == Tree(whole.entries).name
        time = modified(whole)
        if time is None:
            assert info.modified == iso(1_000_000)
        else:
            assert info.modified == (iso(time) if time <= LAST_DATE_MS else None)


@settings(deadline=None)
@given(hostile.files, st.floats(0, 1), block_sizes)
def test_a_grown_file_is_listed_like_a_new_one(data: bytes, part: float, block: int) -> None:
    with TemporaryDirectory() as folder, mock.patch.object(blocks, "_BLOCK", block):
        path = Path(folder) / "session.jsonl"

        def listed() -> list[SessionInfo]:
            return list_sessions([path], Cache(Path(folder) / "cache"))

        write(path, data[: int(len(data) * part)], 1_000)
        listed()
        write(path, data, 2_000)
        grown = listed()

        assert grown == list_sessions([path])
        assert listed() == grown
