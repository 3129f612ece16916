"""What a log shows of an entry is the same, read together with it or found in all that it holds."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile
from builder import session
from pisess_cli.core.digest import digest, read_digested
from pisess_cli.core.entries import Entry, read_entry
from pisess_cli.core.reader import SessionFile, Whole

texts = st.text(st.sampled_from(["a", "\\", "n", "\n", " ", '"', "é", "\x1b", "\ud83d", "日"]), max_size=12)


def both(line: bytes) -> tuple[Entry, Entry]:
    """The entry on a line, read with its digest and without."""
    with_digest, without = read_digested(line, 0, len(line)), read_entry(line, 0, len(line))
    assert with_digest is not None
    assert without is not None
    return with_digest, without


def message(**fields: object) -> bytes:
    return json.dumps({"type": "message", "id": "aaaa1111", "message": fields}).encode()


@given(hostile.files)
def test_the_digest_of_every_entry_is_the_same(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        file = SessionFile(path)

        digested, others = Whole(file, read_digested).entries, Whole(file).entries

        assert [entry.raw for entry in digested] == [entry.raw for entry in others]
        assert list(map(digest, digested)) == list(map(digest, others))


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


def test_a_whole_file_is_read_with_digests_once(tmp_path: Path) -> None:
    whole = Whole(SessionFile(session().user("hi").assistant("yes").write(tmp_path)), read_digested)

    assert [entry.digest and entry.digest.subject for entry in whole.entries] == ["hi", "yes"]
