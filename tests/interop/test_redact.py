"""Pi opens a redacted copy and goes on from it; its model never sees what was taken out."""

import json
from pathlib import Path

import pytest

from interop.pi import Pi, Pisess, Said, entry_saying
from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.fsck import check

SECOND_AND_THIRD = [
    Said("user", "second question"),
    Said("assistant", "second answer"),
    Said("user", "third question"),
    Said("assistant", "third answer"),
]


@pytest.mark.parametrize(
    ("options", "first"),
    [
        (
            ["--pattern", "echo one|^one$", "--text", "first"],
            [
                Said("user", "[redacted] question"),
                Said("assistant", "", (("bash", '{"command": "[redacted]"}'),)),
                Said("toolResult", "[redacted]\n"),
                Said("assistant", "[redacted] answer"),
            ],
        ),
        (
            ["HEAD~4^{assistant}~3..HEAD~4"],
            [
                Said("user", "first question"),
                Said("assistant", "", (("bash", '{"command": "[redacted]"}'),)),
                Said("toolResult", "[redacted]"),
                Said("assistant", "[redacted]"),
            ],
        ),
    ],
)
def test_pi_goes_on_from_a_redacted_copy(
    pi: Pi, pisess: Pisess, session: Path, tmp_path: Path, options: list[str], first: list[Said]
) -> None:
    original = session.read_bytes()

    copy = Path(pisess("-s", session, "redact", *options, "-o", tmp_path / "copy.jsonl"))

    assert session.read_bytes() == original
    assert check(FileScan(copy)) == []
    before = copy.read_bytes()
    pi.model.answer("new answer")
    assert pi.say("new question", session=copy).sent == [*first, *SECOND_AND_THIRD, Said("user", "new question")]
    assert copy.read_bytes().startswith(before)


def test_words_are_gone_from_every_byte_of_the_copy(pi: Pi, pisess: Pisess, session: Path, tmp_path: Path) -> None:
    pi.model.call_bash("echo the swordfish")
    pi.model.answer("what of the swordfish")
    pi.say("tell the swordfish", session=session)
    pisess("-s", session, "label", "the swordfish", entry_saying(session, "first answer"))
    pisess("-s", session, "compact", "-m", "all about the swordfish", "--keep-recent", "1")
    assert session.read_bytes().count(b"swordfish") > 5

    copy = Path(pisess("-s", session, "redact", "--text", "swordfish", "-o", tmp_path / "copy.jsonl"))

    assert b"swordfish" not in copy.read_bytes()
    assert check(FileScan(copy)) == []
    sent = pi.say("new question", session=copy).sent
    assert "all about the [redacted]" in sent[0].text
    assert all(json.dumps(said).find("swordfish") < 0 for said in sent)
