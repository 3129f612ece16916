"""After each command that moves, marks, forks or compacts, the real Pi goes on from what pisess left.

What Pi then sends to its model is what `show-context --llm` showed plus the new question, and pisess reads what Pi wrote.
"""

import json
from pathlib import Path

import pytest

from interop.pi import Pi, Pisess, Said, entries, entry_saying, path_lines, shown_for_model

FIRST = [
    Said("user", "first question"),
    Said("assistant", "", (("bash", '{"command": "echo one"}'),)),
    Said("toolResult", "one\n"),
    Said("assistant", "first answer"),
]
SECOND = [Said("user", "second question"), Said("assistant", "second answer")]
THIRD = [Said("user", "third question"), Said("assistant", "third answer")]

both_ways = pytest.mark.parametrize("continue_", [False, True], ids=["session", "continue"])


def shown(pisess: Pisess, session: Path) -> list[Said]:
    return shown_for_model(pisess("-s", session, "show-context", "--llm"))


def assert_pi_goes_on(pi: Pi, pisess: Pisess, session: Path, *, continue_: bool, project: Path | None = None) -> None:
    before = session.read_bytes()
    context = shown(pisess, session)
    pi.model.answer("new answer")

    turn = pi.say("new question", session=None if continue_ else session, continue_=continue_, project=project)

    assert turn.reply == "new answer"
    assert turn.sent == [*context, Said("user", "new question")]
    assert session.read_bytes().startswith(before)
    assert shown(pisess, session) == [*turn.sent, Said("assistant", "new answer")]
    assert pisess("-s", session, "log", "--json", "--full").split("\n") == path_lines(session)


@both_ways
def test_after_a_checkout(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    pisess("-s", session, "checkout", entry_saying(session, "first answer"))

    assert shown(pisess, session) == FIRST
    assert_pi_goes_on(pi, pisess, session, continue_=continue_)


@both_ways
def test_after_a_checkout_of_the_root(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    pisess("-s", session, "checkout", "--root")

    assert shown(pisess, session) == []
    assert_pi_goes_on(pi, pisess, session, continue_=continue_)


@both_ways
def test_after_a_label(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    target = entry_saying(session, "first answer")

    pisess("-s", session, "label", "bookmark", target)

    assert pi.call_session_manager(["open", str(session)], [["getLabel", target]])["results"] == ["bookmark"]
    assert shown(pisess, session) == [*FIRST, *SECOND, *THIRD]
    assert_pi_goes_on(pi, pisess, session, continue_=continue_)


@both_ways
def test_after_a_compaction(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    pisess("-s", session, "compact", "-m", "the story so far", "--keep-recent", "1")

    summary, *kept = shown(pisess, session)
    assert "the story so far" in summary.text
    assert kept == THIRD[1:]
    assert_pi_goes_on(pi, pisess, session, continue_=continue_)


@both_ways
def test_after_a_compaction_that_keeps_nothing(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    pisess("-s", session, "compact", "-m", "the story so far", "--keep-none")

    [summary] = shown(pisess, session)
    assert "the story so far" in summary.text
    assert_pi_goes_on(pi, pisess, session, continue_=continue_)


@both_ways
def test_after_a_branch_summary(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    pisess("-s", session, "checkout", entry_saying(session, "first answer"), "-m", "the way not taken")

    *kept, summary = shown(pisess, session)
    assert kept == FIRST
    assert "the way not taken" in summary.text
    assert_pi_goes_on(pi, pisess, session, continue_=continue_)


@both_ways
def test_after_a_fork_into_another_project(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    before = session.read_bytes()
    other = pi.new_project("other")

    fork = Path(pisess("-s", session, "fork", "--to", other))

    assert pi.sessions(other) == [fork]
    assert shown(pisess, fork) == [*FIRST, *SECOND, *THIRD]
    assert_pi_goes_on(pi, pisess, fork, continue_=continue_, project=other)
    assert session.read_bytes() == before


@both_ways
def test_after_a_fork_at_an_entry(pi: Pi, pisess: Pisess, session: Path, continue_: bool) -> None:
    before = session.read_bytes()

    fork = Path(pisess("-s", session, "fork", "--at", entry_saying(session, "second answer")))

    assert fork in pi.sessions()
    assert shown(pisess, fork) == [*FIRST, *SECOND]
    assert_pi_goes_on(pi, pisess, fork, continue_=continue_)
    assert session.read_bytes() == before


def test_after_a_compaction_by_pi(pi: Pi, pisess: Pisess, session: Path) -> None:
    pi.compact(session, keep_recent=1)

    assert entries(session)[-1]["type"] == "compaction"
    assert_pi_goes_on(pi, pisess, session, continue_=False)


def test_after_a_branch_summary_by_pi(pi: Pi, pisess: Pisess, session: Path) -> None:
    pi.navigate(session, entry_saying(session, "first answer"), summarize=True, label="back")

    assert [entry["type"] for entry in entries(session)[-2:]] == ["branch_summary", "label"]
    assert_pi_goes_on(pi, pisess, session, continue_=False)


def test_pi_compacts_what_pisess_compacted(pi: Pi, pisess: Pisess, session: Path) -> None:
    pisess("-s", session, "compact", "-m", "the story so far", "--keep-recent", "1")
    pi.say("new question", session=session)

    pi.compact(session, keep_recent=1)

    assert entries(session)[-1]["type"] == "compaction"
    assert_pi_goes_on(pi, pisess, session, continue_=False)


@pytest.mark.script_launch_mode("subprocess")
def test_continue_starts_pi_on_the_session(pi: Pi, pisess: Pisess, session: Path) -> None:
    pi.model.answer("new answer")

    reply = pisess("continue", "@1", "--", "-p", "new question")

    assert reply == "new answer"
    assert pisess("continue", "--print") == str(session)
    assert entry_saying(session, "new answer") == json.loads(path_lines(session)[0])["id"]


def test_a_label_set_from_inside_pis_own_shell_tool(pi: Pi, pisess: Pisess, session: Path) -> None:
    pi.model.call_bash("pisess label from-inside")
    pi.model.answer("done")

    turn = pi.say("label this", session=session)

    [label] = [entry for entry in entries(session) if entry["type"] == "label"]
    assert turn.sent[-1] == Said("toolResult", label["id"] + "\n")
    assert label["label"] == "from-inside"
    assert shown(pisess, session)[-1] == Said("assistant", "done")


@pytest.mark.parametrize(
    "command", ["checkout HEAD~1", "compact -m short --keep-none", "edit HEAD~1 --omit", "name new; pisess undo"]
)
def test_what_pi_would_overrun_is_refused_inside_its_shell_tool(
    pi: Pi, pisess: Pisess, session: Path, command: str
) -> None:
    pi.model.call_bash(f"pisess {command}; echo exit code $?")
    pi.model.answer("done")

    turn = pi.say("try this", session=session)

    assert "Pi is at work on this session" in turn.sent[-1].text
    assert "exit code 1" in turn.sent[-1].text
    assert {entry["type"] for entry in entries(session)[-4:]} <= {"message", "session_info"}


def test_reading_is_right_in_the_middle_of_a_turn(pi: Pi, pisess: Pisess, session: Path) -> None:
    pi.model.call_bash("pisess log -n 1 --role user --format %s; pisess name 'from inside'; pisess name")
    pi.model.answer("done")

    turn = pi.say("where are we", session=session)

    [question, _, name] = turn.sent[-1].text.splitlines()
    assert (question, name) == ("where are we", "from inside")
