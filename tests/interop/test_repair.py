"""`fsck` finds nothing in what the real Pi wrote; Pi opens a repaired copy and goes on from it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from interop.pi import Pi, Pisess, Said, entries, entry_saying, path_lines, shown_for_model
from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.findings import Finding
from pisess_cli.core.copies.fsck import check

FIRST = [
    Said("user", "first question"),
    Said("assistant", "", (("bash", '{"command": "echo one"}'),)),
    Said("toolResult", "one\n"),
    Said("assistant", "first answer"),
]
SECOND = [Said("user", "second question"), Said("assistant", "second answer")]
THIRD = [Said("user", "third question"), Said("assistant", "third answer")]

Damage = Callable[[list[bytes]], None]


def findings(session: Path) -> list[Finding]:
    return check(FileScan(session))


def test_turns_with_a_tool(session: Path) -> None:
    assert findings(session) == []


def test_moves_in_the_tree_with_labels_and_summaries(pi: Pi, session: Path) -> None:
    first = entry_saying(session, "first answer")
    pi.navigate(session, first, label="here")
    pi.say("another second question", session=session)
    pi.model.answer("what was tried")
    pi.navigate(session, entry_saying(session, "third answer"), summarize=True)
    pi.say("a fourth question", session=session)

    assert len({entry["parentId"] for entry in entries(session)}) < len(entries(session))
    assert findings(session) == []


def test_a_branch_that_leaves_a_tool_call(pi: Pi, session: Path) -> None:
    [asked] = [entry["id"] for entry in entries(session) if '"toolCall"' in json.dumps(entry)]
    pi.navigate(session, asked, label="before the result")
    pi.say("never mind", session=session)

    assert findings(session) == []


def test_compactions(pi: Pi, session: Path) -> None:
    pi.model.answer("the story so far")
    pi.compact(session, keep_recent=1)
    pi.say("a fourth question", session=session)

    assert any(entry["type"] == "compaction" for entry in entries(session))
    assert findings(session) == []


@pytest.mark.parametrize("how", ["createBranchedSession", "forkFrom"])
def test_sessions_made_from_a_session(pi: Pi, session: Path, tmp_path: Path, how: str) -> None:
    first = entry_saying(session, "first answer")
    pi.navigate(session, first, label="here")
    start: Sequence[Any] = ["open", str(session)]
    calls: Sequence[Any] = [["createBranchedSession", entry_saying(session, "third answer")]]
    if how == "forkFrom":
        start, calls = ["forkFrom", str(session), str(pi.new_project("other")), str(tmp_path / "forks")], []

    made = Path(pi.call_session_manager(start, calls)["file"])

    assert made != session
    assert findings(made) == []
    pi.say("a fourth question", session=made)
    assert findings(made) == []


def test_pi_and_pisess_in_turn(pi: Pi, pisess: Pisess, session: Path) -> None:
    for move in (
        ["label", "mark"],
        ["checkout", "HEAD~2"],
        ["compact", "-m", "what was said", "--keep-recent", "1"],
        ["checkout", "--root"],
        ["checkout", "mark", "-m", "what was tried"],
    ):
        pisess("-s", session, *move)
        pi.say("a question", session=session)

    assert findings(session) == []


def test_a_label_from_inside_pis_own_shell_tool(pi: Pi, session: Path) -> None:
    pi.model.call_bash("pisess label from-inside")
    pi.model.answer("done")
    pi.say("label this", session=session)

    assert '"from-inside"' in session.read_text()
    assert findings(session) == []


# Repaired copies.


def torn(lines: list[bytes]) -> None:
    """The line of the second question is cut off, and the next one begins in it."""
    place = line_saying(lines, "second question")
    lines[place] = lines[place][:100] + lines.pop(place + 1)


def zeros(lines: list[bytes]) -> None:
    """The line of the second question is a run of NUL bytes."""
    lines[line_saying(lines, "second question")] = b"\0" * 300


def circle(lines: list[bytes]) -> None:
    """The second question is below the third answer, which is below it: Pi would run out of memory."""
    place = line_saying(lines, "second question")
    parent, last = (json.loads(lines[at])["id"].encode() for at in (place - 1, line_saying(lines, "third answer")))
    lines[place] = lines[place].replace(b'"parentId":"' + parent, b'"parentId":"' + last)


def lost_call(lines: list[bytes]) -> None:
    """The tool call is gone, its result is still there: providers refuse the session."""
    del lines[next(place for place, line in enumerate(lines) if b'"toolCall"' in line)]


def lost_result(lines: list[bytes]) -> None:
    """The tool's result is gone, the call is still there."""
    del lines[next(place for place, line in enumerate(lines) if b'"toolResult"' in line)]


def line_saying(lines: list[bytes], text: str) -> int:
    return next(place for place, line in enumerate(lines) if f'"{text}"'.encode() in line)


@pytest.mark.parametrize(
    ("damage", "left"),
    [
        (torn, [*FIRST, SECOND[1], *THIRD]),
        (zeros, [*FIRST, SECOND[1], *THIRD]),
        (circle, [*FIRST, *SECOND, *THIRD]),
        (lost_call, [FIRST[0], FIRST[3], *SECOND, *THIRD]),
        (lost_result, [*FIRST[:2], Said("toolResult", "No result was recorded."), FIRST[3], *SECOND, *THIRD]),
    ],
)
def test_pi_goes_on_from_a_repaired_copy(
    pi: Pi, pisess: Pisess, session: Path, tmp_path: Path, damage: Damage, left: list[Said]
) -> None:
    lines = session.read_bytes().split(b"\n")
    damage(lines)
    session.write_bytes(b"\n".join(lines))
    assert any(finding.is_fault for finding in findings(session))

    copy = Path(pisess("-s", session, "fsck", "--repair", tmp_path / "copy.jsonl"))

    assert findings(copy) == []
    assert shown_for_model(pisess("-s", copy, "show-context", "--llm")) == left
    before = copy.read_bytes()
    pi.model.answer("new answer")
    turn = pi.say("new question", session=copy)
    assert turn.sent == [*left, Said("user", "new question")]
    assert copy.read_bytes().startswith(before)
    assert pisess("-s", copy, "log", "--json", "--full").split("\n") == path_lines(copy)
