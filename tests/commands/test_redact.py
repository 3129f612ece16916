"""`pisess redact`: the new file's path on stdout, what was taken out on stderr; the old session stays as it is."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, call, session
from running import Pisess, unchanged

TOKEN = "np" + "m_" + "aB3" * 12


def telling() -> SessionBuilder:
    """A session with a secret, an address and a word in several places."""
    made = (
        session().user(f"the token is {TOKEN}").assistant("Mailing me@example.com.", call("mail", to="me@example.com"))
    )
    return made.result("sent the swordfish").user("Swordfish?").label("swordfish")


def copied(pisess: Pisess, *options: object) -> list[Any]:
    """The lines of the copy that redact makes."""
    path = pisess.ok("redact", *options, "-o", pisess.home / "copy.jsonl").line
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_words_are_taken_out_everywhere(pisess: Pisess) -> None:
    pisess.use(telling())

    lines = copied(pisess, "--text", "swordfish", "--pattern", r"[\w.]+@example\.com")

    assert lines[2]["message"]["content"] == [
        {"type": "text", "text": "Mailing [redacted]."},
        call("mail", to="[redacted]"),
    ]
    assert lines[3]["message"]["content"] == [{"type": "text", "text": "sent the [redacted]"}]
    assert lines[4]["message"]["content"] == "Swordfish?"
    assert lines[5]["label"] == "[redacted]"


def test_case_can_be_ignored(pisess: Pisess) -> None:
    pisess.use(telling())

    assert copied(pisess, "-i", "--text", "SWORDFISH")[4]["message"]["content"] == "[redacted]?"


def test_likely_secrets_are_taken_out(pisess: Pisess) -> None:
    pisess.use(telling())

    copied(pisess, "--secrets")

    assert (pisess.home / "copy.jsonl").read_bytes() == telling().data.replace(TOKEN.encode(), b"[redacted]")


def test_a_session_without_secrets_is_copied_as_it_is(pisess: Pisess) -> None:
    pisess.use(session().user("hi"))

    assert pisess.ok("redact", "--secrets", "-o", "copy.jsonl").err == "taken out: 0\n"
    assert (pisess.project / "copy.jsonl").read_bytes() == session().user("hi").data


@pytest.mark.parametrize("revisions", [("HEAD", "HEAD~1"), ("HEAD~2..HEAD",)])
def test_entries_are_taken_out(pisess: Pisess, revisions: tuple[str, ...]) -> None:
    made = telling()
    pisess.use(made)

    lines = copied(pisess, *revisions)

    assert lines[3]["message"]["content"] == [{"type": "text", "text": "[redacted]"}]
    assert lines[4]["message"]["content"] == "[redacted]"
    assert [*lines[1:3], lines[5]] == [*made.values[:2], made.values[4]]


def test_the_old_session_stays_and_the_copy_is_private(pisess: Pisess) -> None:
    source = pisess.use(telling())

    copied(pisess, "--secrets")

    assert source.read_bytes() == telling().data
    assert stat.S_IMODE((pisess.home / "copy.jsonl").stat().st_mode) == 0o600


def test_without_a_file_it_is_a_new_session_of_the_project(pisess: Pisess) -> None:
    made = telling()
    made.header["cwd"] = str(pisess.project)
    source = pisess.use(made)

    path = Path(pisess.ok("--session-dir", pisess.home / "sessions", "redact", "--secrets").line)

    head = json.loads(path.read_bytes().split(b"\n")[0])
    assert (path.parent, head["parentSession"]) == (pisess.home / "sessions", str(source))
    assert head["id"] != made.header["id"]


def test_it_says_what_was_taken_out_and_what_was_not(pisess: Pisess) -> None:
    pisess.use(session(cwd="/home/me").user("me").user("x").custom("me").torn("me"))

    told = pisess.ok("redact", "--pattern", r"\bme\b", "-o", "copy.jsonl").err

    assert told.splitlines() == [
        "taken out: 2",
        "left in ids, types and names, which hold the session together: 1",
        "lines that are no JSON, left out: 1",
        "the session's directory is among what was taken out; Pi needs one that is there",
        f"1 line is no JSON and skipped; pisess fsck tells more ({pisess.home / 'session.jsonl'})",
    ]


def test_what_names_no_entry_is_a_pattern(pisess: Pisess) -> None:
    pisess.use(telling())

    result = pisess.ok("redact", "HEAD", "s[w]ordfish", "barracuda", "-o", "copy.jsonl")

    assert result.err.splitlines() == ["taken out: 3", "found nowhere: barracuda"]
    assert "wordfish" not in Path(result.line).read_text()


@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_json_is_one_object(pisess: Pisess, dry_run: tuple[str, ...]) -> None:
    pisess.use(telling())

    found = json.loads(pisess.ok("redact", "--text", "swordfish", "-o", "copy.jsonl", "--json", *dry_run).line)

    path = pisess.project / "copy.jsonl"
    assert found == {"path": str(path), "replaced": 2, "left": 0, "linesLeftOut": 0}
    assert path.exists() == (not dry_run)


def test_a_dry_run_writes_nothing(pisess: Pisess) -> None:
    pisess.use(telling())

    with unchanged(pisess.home):
        assert pisess.ok("redact", "--secrets", "--dry-run") == (0, "", "taken out: 1\n")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 2, "nothing says what to take out"),
        (("--pattern", "("), 2, "not a regular expression"),
        (("--text", ""), 2, "an empty text is everywhere"),
        (("--text", "barracuda"), 1, "nothing to take out was found"),
        (("--text", "toolResult"), 1, "hint: ids, types and names of tools and models stay"),
        (("no-such-entry",), 1, "nothing to take out was found"),
        (("ROOT",), 1, "no entry stands there"),
    ],
)
def test_what_cannot_be_done_writes_nothing(pisess: Pisess, options: tuple[str, ...], code: int, message: str) -> None:
    pisess.use(telling())

    with unchanged(pisess.home):
        assert message in pisess.fail("redact", *options, "-o", "copy.jsonl", code=code)


@pytest.mark.parametrize("revision", ["{}:HEAD", "{}:HEAD~1..HEAD"])
def test_entries_of_another_session_are_refused(pisess: Pisess, revision: str) -> None:
    pisess.use(telling())
    other = session("other").user("hi").user("you").write(pisess.home / "other.jsonl")

    assert "another session" in pisess.fail("redact", revision.format(other), code=2)


def test_a_file_that_exists_is_not_written_over(pisess: Pisess) -> None:
    source = pisess.use(telling())

    with unchanged(pisess.home):
        assert "exists already" in pisess.fail("redact", "--secrets", "-o", source)


def test_a_secret_is_never_shown(pisess: Pisess) -> None:
    pisess.use(telling())

    result = pisess.ok("redact", "--secrets", "--json", "-o", "copy.jsonl")

    assert TOKEN[:10] not in result.out + result.err
