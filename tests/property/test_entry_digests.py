"""What a log shows of an entry is the same, read together with it or found in all that it holds."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile
from builder import session
from pisess_cli.core.format.entries import Entry, read_entry
from pisess_cli.core.format.entry_text import digest
from pisess_cli.core.storage.entry_digests import Digested
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.storage.whole_file import Whole

texts = st.text(st.sampled_from(["a", "\\", "n", "\n", " ", '"', "é", "\x1b", "\ud83d", "日"]), max_size=12)


HEADER = session().lines[0] + b"\n"


def both(line: bytes) -> tuple[Entry, Entry]:
    """The entry on a line, read with its digest and without."""
    with TemporaryDirectory() as folder:
        [with_digest] = digested(Path(folder), HEADER + line)
    without = read_entry(line, 0, len(line))
    assert without is not None
    return with_digest, without


def digested(folder: Path, data: bytes) -> list[Entry]:
    path = folder / "session.jsonl"
    path.write_bytes(data)
    return Digested(SessionFile(path)).entries


def message(**fields: object) -> bytes:
    return json.dumps({"type": "message", "id": "aaaa1111", "message": fields}).encode()


@given(hostile.files)
def test_the_digest_of_every_entry_is_the_same(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        file = SessionFile(path)

        found, whole = Digested(file), Whole(file)

        if not file.header.is_old:
            assert [entry.raw for entry in found.entries] == [entry.raw for entry in whole.entries]
            assert [entry.value for entry in found.entries] == [entry.value for entry in whole.entries]
            assert list(map(digest, found.entries)) == list(map(digest, whole.entries))
        assert found.skipped == whole.skipped


@given(st.lists(texts, max_size=3), st.integers(0, 700))
def test_the_first_line_is_found_wherever_it_ends(parts: list[str], before: int) -> None:
    content = [{"type": "text", "text": part} for part in [" " * before, *parts]]

    with_digest, without = both(message(role="toolResult", content=content))

    assert digest(with_digest) == digest(without)


@pytest.mark.parametrize("role", ["user", "assistant", "toolResult"])
def test_usual_messages_have_their_digest_with_them(role: str) -> None:
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "x"}}
    content = [{"type": "text", "text": "first\nsecond"}, call]

    entry, _ = both(message(role=role, content=content, model="m"))

    assert entry.digest == ("first", ["read: x"] if role == "assistant" else [], "m")
