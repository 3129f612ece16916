import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from builder import SessionBuilder, call, session, text
from running import Pisess, only_appended, unchanged

Golden = Callable[[str, str], None]


def long_talk() -> SessionBuilder:
    """Two turns of 10 tokens a message."""
    return (
        session()
        .system("Be brief.", sections={"date": "today"})
        .user("first " + "x" * 34)
        .assistant("one", call("read", path="a.py"), call("edit", path="b.py"))
        .user("second " + "x" * 33)
        .assistant("two " + "x" * 36)
    )


FIRST, SECOND, TWO = "first " + "x" * 34, "second " + "x" * 33, "two " + "x" * 36
FILES = "\n\n<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\n</modified-files>"


def compaction(path: Path) -> dict[str, object]:
    """The last entry, which has to be a compaction."""
    made: dict[str, object] = json.loads(path.read_bytes().split(b"\n")[-2])
    assert made["type"] == "compaction"
    return made


def heard(pisess: Pisess) -> list[object]:
    return [json.loads(line)["content"] for line in pisess.ok("show-context", "--llm").lines]


# The entry.


def test_a_compaction_is_appended_and_its_id_printed(pisess: Pisess) -> None:
    s = long_talk()
    path = pisess.use(s)

    with only_appended(path):
        printed = pisess.ok("compact", "--keep-recent", 20, "-m", " They talked.\n").line

    made = compaction(path)
    assert made["id"] == printed
    keys = "type id parentId timestamp summary firstKeptEntryId tokensBefore details fromHook systemMessage"
    assert " ".join(made) == keys
    assert made["parentId"] == s.id(TWO)
    assert made["summary"] == f"They talked.{FILES}"
    assert made["firstKeptEntryId"] == s.id(SECOND)
    assert made["details"] == {"readFiles": ["a.py"], "modifiedFiles": ["b.py"]}
    assert made["fromHook"] is False


def test_the_system_message_is_replayed(pisess: Pisess) -> None:
    path = pisess.use(long_talk())

    pisess.ok("compact", "--keep-none", "-m", "They talked.")

    system = compaction(path)["systemMessage"]
    assert isinstance(system, dict)
    assert (system["role"], system["content"], system["sections"]) == ("system", "Be brief.", {"date": "today"})


def test_the_model_then_hears_the_summary_and_what_was_kept(pisess: Pisess) -> None:
    pisess.use(long_talk())

    pisess.ok("compact", "--keep-recent", 20, "-m", "They talked.")

    system, summary, *kept = heard(pisess)
    assert system == "Be brief."
    assert f"<summary>\nThey talked.{FILES}\n</summary>" in json.dumps(summary).replace("\\n", "\n")
    assert kept == [SECOND, [text(TWO)]]


def test_a_second_compaction_carries_the_files_of_the_first_on(pisess: Pisess) -> None:
    path = pisess.use(long_talk())
    pisess.ok("compact", "--keep-recent", 20, "-m", "They talked.")
    with path.open("ab") as file:
        line = '{"type":"message","id":"more0000","parentId":"%s","message":{"role":"user","content":"%s"}}\n'
        file.write((line % (compaction(path)["id"], "z" * 40)).encode())

    pisess.ok("compact", "--keep-recent", 5, "-m", "They talked on.")

    assert compaction(path)["details"] == {"readFiles": ["a.py"], "modifiedFiles": ["b.py"]}


# What is kept.


def test_nothing_is_kept_where_that_is_asked_for(pisess: Pisess) -> None:
    path = pisess.use(long_talk())

    pisess.ok("compact", "--keep-none", "-m", "They talked.")

    made = compaction(path)
    assert made["firstKeptEntryId"] == made["id"]
    assert len(heard(pisess)) == 2


def test_what_begins_at_an_entry_can_be_kept(pisess: Pisess) -> None:
    s = long_talk()
    path = pisess.use(s)

    pisess.ok("compact", "--first-kept", "HEAD^", "-m", "They talked.")

    assert compaction(path)["firstKeptEntryId"] == s.id(SECOND)


@pytest.mark.parametrize("keep", [20, 1000])
def test_what_fits_needs_no_compaction(pisess: Pisess, keep: int) -> None:
    path = pisess.use(session().user("x" * 40))

    with unchanged(path.parent):
        assert "nothing to compact" in pisess.fail("compact", "--keep-recent", keep, "-m", "x")


def test_what_is_compacted_already_is_not_compacted_again(pisess: Pisess) -> None:
    path = pisess.use(long_talk())
    pisess.ok("compact", "--keep-recent", 20, "-m", "They talked.")

    with unchanged(path.parent):
        assert "nothing to compact" in pisess.fail("compact", "--keep-recent", 20, "-m", "x")


def test_an_empty_session_has_nothing_to_compact(pisess: Pisess) -> None:
    path = pisess.use(session())

    with unchanged(path.parent):
        pisess.fail("compact", "-m", "x")
        pisess.fail("compact", "--keep-none", "-m", "x")


def test_an_entry_outside_the_context_cannot_be_the_first_that_is_kept(pisess: Pisess) -> None:
    s = long_talk().compact("sum", keep=SECOND).user("more")
    path = pisess.use(s)

    with unchanged(path.parent):
        pisess.fail("compact", "--first-kept", s.id(FIRST), "-m", "x")
        pisess.fail("compact", "--first-kept", "unknown", "-m", "x")


@pytest.mark.parametrize(
    "args", [["--keep-none", "--keep-recent", "5"], ["--keep-none", "--first-kept", "HEAD"], ["--keep-recent", "many"]]
)
def test_what_to_keep_is_said_once_and_as_a_number(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(long_talk())

    with unchanged(path.parent):
        pisess.fail("compact", "-m", "x", *args, code=2)


# The plan.


@pytest.mark.parametrize(("name", "args"), [("compact-plan", []), ("compact-plan-json", ["--json"])])
def test_a_plan_tells_what_would_be_summarised_and_kept(
    pisess: Pisess, golden: Golden, name: str, args: list[str]
) -> None:
    path = pisess.use(long_talk())

    with unchanged(path.parent):
        result = pisess.ok("compact", "--dry-run", "--keep-recent", 20, *args)

    golden(name, result.out + result.err)


def test_a_plan_leaves_out_what_is_no_conversation(pisess: Pisess) -> None:
    s = long_talk().model("acme", "two").label("x").system("Be briefer.").user("third " + "x" * 34)
    pisess.use(s)

    plan = json.loads(pisess.ok("compact", "--dry-run", "--keep-recent", 20, "--json").line)

    assert plan["summarised"] == s.ids(FIRST, "one", SECOND)
    assert plan["kept"] == s.ids(TWO, "third " + "x" * 34)


def test_the_plan_of_a_split_turn_says_so(pisess: Pisess) -> None:
    pisess.use(long_talk())

    assert "in the middle of a turn" in pisess.ok("compact", "--dry-run", "--keep-recent", 5).err


# The summary.


def test_a_summary_comes_from_a_file_or_from_stdin(pisess: Pisess, tmp_path: Path) -> None:
    path = pisess.use(long_talk())
    (tmp_path / "summary.md").write_text("From a file.\n")

    pisess.ok("compact", "--keep-recent", 20, "-F", tmp_path / "summary.md")
    assert compaction(path)["summary"] == f"From a file.{FILES}"

    path = pisess.use(long_talk())
    pisess.ok("compact", "--keep-recent", 20, "-F", "-", stdin=b"From stdin.")
    assert compaction(path)["summary"] == f"From stdin.{FILES}"


def test_a_summarizer_is_asked_for_a_summary(pisess: Pisess, tmp_path: Path) -> None:
    path = pisess.use(long_talk())
    command = f"cat > {tmp_path}/prompt; echo Summarised."

    pisess.ok("compact", "--keep-recent", 20, "--summarizer", command, "--instructions", "Mind the cache.")

    assert compaction(path)["summary"] == f"Summarised.{FILES}"
    prompt = (tmp_path / "prompt").read_text()
    assert f"[User]: {FIRST}\n\n[Assistant]: one" in prompt
    assert "## Goal" in prompt
    assert "Additional focus: Mind the cache." in prompt


def test_a_split_turn_asks_twice(pisess: Pisess, tmp_path: Path) -> None:
    path = pisess.use(long_talk())
    command = f"cat >> {tmp_path}/prompts; echo Part."

    pisess.ok("compact", "--keep-recent", 5, "--summarizer", command)

    assert compaction(path)["summary"] == f"Part.\n\n---\n\n**Turn Context (split turn):**\n\nPart.{FILES}"
    assert "## Original Request" in (tmp_path / "prompts").read_text()


def test_the_text_of_a_session_never_reaches_the_shell(pisess: Pisess, tmp_path: Path) -> None:
    evil = f"'; touch {tmp_path}/evil; $(touch {tmp_path}/evil) `touch {tmp_path}/evil`"
    pisess.use(session().user(evil).assistant(evil).user("x" * 40).assistant(evil))

    pisess.ok("compact", "--keep-recent", 10, "--summarizer", "cat")

    assert not (tmp_path / "evil").exists()


def test_the_configured_summarizer_is_used_where_no_source_is_named(pisess: Pisess) -> None:
    path = pisess.use(long_talk())
    config = pisess.home / ".config" / "pisess" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('summarizer = "echo Configured."\n')

    pisess.ok("compact", "--keep-recent", 20)

    assert compaction(path)["summary"] == f"Configured.{FILES}"


@pytest.mark.parametrize("args", [["-m", ""], ["-F", "-"], ["--summarizer", "true"], ["--edit"]])
def test_an_empty_summary_aborts(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(long_talk())

    with unchanged(path.parent):
        assert "the summary is empty" in pisess.fail("compact", "--keep-none", *args, env={"EDITOR": "true"})


@pytest.mark.parametrize("args", [["--summarizer", "echo half; exit 3"], ["--edit"], ["-F", "gone.md"]])
def test_a_source_that_fails_leaves_the_file_as_it_was(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(long_talk())

    with unchanged(path.parent):
        pisess.fail("compact", "--keep-none", *args, env={"EDITOR": "false"})


def test_a_summary_has_one_source(pisess: Pisess) -> None:
    path = pisess.use(long_talk())

    with unchanged(path.parent):
        pisess.fail("compact", "--keep-none", "-m", "a", "--edit", code=2)


# Others at work.


def test_a_session_that_went_on_meanwhile_is_not_compacted(pisess: Pisess) -> None:
    path = pisess.use(long_talk())
    added = b'{"type":"message","id":"late0000","parentId":null,"message":{"role":"user","content":"late"}}\n'
    command = f"printf '%s\\n' '{added.decode().strip()}' >> {path}; echo Summarised."

    assert "went on while" in pisess.fail("compact", "--keep-none", "--summarizer", command)

    assert path.read_bytes() == long_talk().data + added


def test_while_pi_is_at_work_on_the_session_it_is_left_alone(pisess: Pisess) -> None:
    path = pisess.use(long_talk())
    inside = {"PI_SESSION_FILE": str(path)}

    with unchanged(path.parent):
        assert "Pi is at work" in pisess.fail("compact", "--keep-none", "-m", "x", env=inside)

    pisess.ok("compact", "--keep-none", "-m", "x", "-f", env=inside)


def test_a_lock_that_is_held_is_waited_for_and_then_told(pisess: Pisess) -> None:
    path = pisess.use(long_talk())

    with (
        path.open("rb") as other,
        mock.patch("pisess_cli.core.storage.locks.LOCK_WAIT_S", 0.05),
        unchanged(path.parent),
    ):
        fcntl.flock(other, fcntl.LOCK_EX)
        assert "another pisess is writing" in pisess.fail("compact", "--keep-none", "-m", "x")
