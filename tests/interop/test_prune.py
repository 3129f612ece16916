"""Pi opens a pruned copy and goes on from it; on the branches that stay it sends what it would have sent before."""

import json
from pathlib import Path

import pytest

from interop.pi import Pi, Pisess, Said, entry_saying, path_lines, shown_for_model
from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.fsck import check

FIRST = [
    Said("user", "first question"),
    Said("assistant", "", (("bash", '{"command": "echo one"}'),)),
    Said("toolResult", "one\n"),
    Said("assistant", "first answer"),
]


@pytest.fixture
def branched(pi: Pi, pisess: Pisess, session: Path) -> Path:
    """Three branches: the old one with a label, one that was left with a summary, and the current one."""
    first = entry_saying(session, "first answer")
    pisess("-s", session, "checkout", first)
    pi.model.answer("side answer")
    pi.say("side question", session=session)
    pi.model.answer("what was tried")
    pi.navigate(session, first, summarize=True)
    pi.model.answer("main answer")
    pi.say("main question", session=session)
    return session


def context(pisess: Pisess, session: Path, revision: str) -> list[Said]:
    return shown_for_model(pisess("-s", session, "show-context", "--llm", revision))


def labelled(pisess: Pisess, session: Path, text: str, label: str) -> None:
    pisess("-s", session, "label", label, entry_saying(session, text))


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--keep", "HEAD"], ["main"]),
        (["--merged-into", "HEAD"], ["old", "main"]),
        (["--branch", "old"], ["side", "main"]),
    ],
)
def test_pi_goes_on_from_a_pruned_copy(
    pi: Pi, pisess: Pisess, branched: Path, tmp_path: Path, options: list[str], left: list[str]
) -> None:
    for text, label in (("third answer", "old"), ("side answer", "side"), ("main answer", "main")):
        labelled(pisess, branched, text, label)
    original = branched.read_bytes()

    copy = Path(pisess("-s", branched, "prune", *options, "-o", tmp_path / "copy.jsonl"))

    assert branched.read_bytes() == original
    assert check(FileScan(copy)) == []
    assert sorted(json.loads(line)["label"] for line in pisess("-s", copy, "label", "--json").splitlines()) == sorted(
        left
    )
    for label in left:
        assert context(pisess, copy, label) == context(pisess, branched, label)
    before = copy.read_bytes()
    pi.model.answer("new answer")
    sent = pi.say("new question", session=copy).sent
    assert sent == [*context(pisess, branched, "HEAD"), Said("user", "new question")]
    assert copy.read_bytes().startswith(before)
    assert pisess("-s", copy, "log", "--json", "--full").split("\n") == path_lines(copy)


def test_pi_continues_a_copy_that_is_a_session_of_the_project(pi: Pi, pisess: Pisess, branched: Path) -> None:
    copy = Path(pisess("-s", branched, "prune", "--keep", "HEAD"))

    expected = context(pisess, branched, "HEAD")
    assert copy.parent == branched.parent
    pi.model.answer("new answer")
    assert pi.say("new question", continue_=True).sent == [*expected, Said("user", "new question")]


def test_pi_goes_on_where_the_results_of_a_call_were_on_another_branch(
    pi: Pi, pisess: Pisess, session: Path, tmp_path: Path
) -> None:
    [asked] = [line for line in session.read_text().splitlines() if '"toolCall"' in line]
    pi.navigate(session, json.loads(asked)["id"], label="before the result")
    pi.say("never mind", session=session)

    copy = Path(pisess("-s", session, "prune", "--keep", "HEAD", "-o", tmp_path / "copy.jsonl"))

    assert check(FileScan(copy)) == []
    assert context(pisess, copy, "HEAD") == context(pisess, session, "HEAD")


def test_pi_sends_the_notes_in_place_of_images_and_long_outputs(
    pi: Pi, pisess: Pisess, session: Path, tmp_path: Path
) -> None:
    pi.model.call_bash("seq 1000")
    pi.model.answer("long")
    pi.say("count", session=session)
    image = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
    message = {"role": "user", "content": [{"type": "text", "text": "look"}, image], "timestamp": 0}
    pisess("-s", session, "append", "message", "--field", f"message:={json.dumps(message)}")

    copy = Path(pisess("-s", session, "prune", "--strip-images", "--max-output", "99", "-o", tmp_path / "copy.jsonl"))

    pi.model.answer("new answer")
    sent = pi.say("new question", session=copy).sent
    result = next(said for said in sent if said.role == "toolResult" and said.text != "one\n")
    assert result.text.startswith("1\n2\n")
    assert "bytes left out]" in result.text
    assert len(result.text) <= 99
    assert Said("user", "look[image/png left out, 5 bytes]") in sent
