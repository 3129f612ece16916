import json
from pathlib import Path

import pytest

from builder import SessionBuilder, call, session, talk, tokens_used
from running import Pisess, unchanged


def two_branches() -> SessionBuilder:
    """Two ways on from "yes", the second one current."""
    made = session().user("hi").assistant("yes", usage=tokens_used(1000, 0.5)).label("good")
    made.user("Rewrite it.").assistant("", call("read", path="a.py"), call("edit", path="a.py"))
    made.result("ok", tool="edit").assistant("Done, but slow.", usage=tokens_used(2000, 0.25))
    return made.branch_at("yes").user("Rename it.").assistant("Renamed.", usage=tokens_used(30, 0.125))


def test_the_table_tells_what_each_side_did_since_they_parted(pisess: Pisess) -> None:
    made = two_branches()
    pisess.use(made)
    slow, current = made.ids("Done, but slow.", "Renamed.")

    assert pisess.ok("diff", slow, "HEAD").lines == [
        f"ancestor\tyes\t{made.id('yes')}\t{made.id('yes')}",
        f"entry\t\t{slow}\t{current}",
        "turns\t\t1\t1",
        "entries\t\t4\t2",
        "tokens\t\t2000\t30",
        "cost\t\t0.2500\t0.1250",
        f"context\t\t{context_tokens(pisess, slow)}\t{context_tokens(pisess, 'HEAD')}",
        "tool\tread\t1\t0",
        "tool\tedit\t1\t0",
        "file\ta.py\tchanged\t",
    ]


def context_tokens(pisess: Pisess, revision: str) -> str:
    return pisess.ok("show-context", "--tokens", revision).line


def test_with_one_point_the_other_is_head(pisess: Pisess) -> None:
    made = two_branches()
    pisess.use(made)

    slow = made.id("Done, but slow.")
    assert pisess.ok("diff", slow).out == pisess.ok("diff", slow, "HEAD").out


def test_a_range_names_both_points(pisess: Pisess) -> None:
    made = two_branches().system("Be brief from now on.")
    pisess.use(made)
    slow, current = made.ids("Done, but slow.", "Renamed.")

    assert pisess.ok("diff", f"{slow}..{current}").out == pisess.ok("diff", slow, current).out
    assert pisess.ok("diff", f"{slow}..").out == pisess.ok("diff", slow, "HEAD").out


@pytest.mark.parametrize("options", [[], ["--stat"], ["-p"], ["--context"], ["-p", "--context", "--stat"]])
@pytest.mark.parametrize("revision", ["HEAD", "good", "ROOT"])
def test_a_point_and_itself_have_no_difference(pisess: Pisess, options: list[str], revision: str) -> None:
    pisess.use(two_branches())

    assert pisess.ok("diff", revision, revision, *options).out == ""


def test_reading_writes_nothing(pisess: Pisess) -> None:
    pisess.use(talk().version(1).without_final_newline())

    with unchanged(pisess.home):
        pisess.ok("diff", "ROOT", "HEAD", "-p", "--context", "--stat")


def test_json_is_one_object_with_both_sides(pisess: Pisess) -> None:
    made = two_branches()
    pisess.use(made)
    slow = made.id("Done, but slow.")

    found = json.loads(pisess.ok("diff", slow, "HEAD", "--json").line)

    assert found["ancestor"] == made.id("yes")
    assert found["a"] == {
        "session": made.header["id"],
        "id": slow,
        "turns": 1,
        "entries": 4,
        "readFiles": [],
        "modifiedFiles": ["a.py"],
        "tools": {"read": 1, "edit": 1},
        "tokens": 2000,
        "cost": 0.25,
        "contextTokens": int(context_tokens(pisess, slow)),
    }
    assert found["b"]["contextTokens"] == int(context_tokens(pisess, "HEAD"))


def test_json_of_the_same_point_says_that_nothing_was_done(pisess: Pisess) -> None:
    pisess.use(two_branches())

    found = json.loads(pisess.ok("diff", "HEAD", "HEAD", "--json").line)

    assert [found[side]["entries"] for side in "ab"] == [0, 0]


def test_json_has_the_messages_and_the_diff_that_are_asked_for(pisess: Pisess) -> None:
    made = two_branches()
    pisess.use(made)

    found = json.loads(pisess.ok("diff", "good", "HEAD", "--json", "-p", "--context").line)

    assert found["a"]["messages"] == []
    assert [message["role"] for message in found["b"]["messages"]] == ["user", "assistant"]
    assert "+    Renamed." in found["contextDiff"]


def test_context_counts_what_follows_head_too(pisess: Pisess) -> None:
    pisess.use(two_branches().system("Be brief from now on, and never say more than there is to say."))

    found = json.loads(pisess.ok("diff", "good", "--json").line)

    assert found["b"]["contextTokens"] == int(context_tokens(pisess, "HEAD"))


def test_patch_shows_the_entries_of_each_side(pisess: Pisess) -> None:
    made = session().user("hi").user("one").branch_at("hi").user("two")
    pisess.use(made)
    one, two = made.ids("one", "two")

    assert pisess.ok("diff", "-p", one, "HEAD", "--date", "unix").lines == [
        f"--- {one}",
        "",
        f"{one}  user  1772359202",
        "    one",
        "",
        f"+++ HEAD ({two})",
        "",
        f"{two}  user  1772359203 (HEAD)",
        "    two",
    ]


def test_context_is_a_unified_diff_of_what_the_model_would_see(pisess: Pisess) -> None:
    made = session().user("hi").assistant("yes").user("one").branch_at("yes").edit("hi", "ho").user("two")
    pisess.use(made)
    one, two = made.ids("one", "two")

    assert pisess.ok("diff", "--context", one, "HEAD").lines == [
        f"--- {one}",
        f"+++ HEAD ({two})",
        "@@ -1,8 +1,8 @@",
        " user",
        "-    hi",
        "+    ho",
        " ",
        " assistant",
        "     yes",
        " ",
        " user",
        "-    one",
        "+    two",
    ]


def test_the_same_words_on_two_branches_do_not_differ(pisess: Pisess) -> None:
    made = session().user("hi").assistant("no").branch_at(None).user("hi").assistant("yes")
    pisess.use(made)

    changed = [line for line in pisess.ok("diff", "--context", made.id("no"), "HEAD").lines[2:] if line[0] in "-+"]

    assert changed == ["-    no", "+    yes"]


def test_sections_and_tools_of_a_system_message_are_part_of_the_context(pisess: Pisess) -> None:
    pisess.use(session().system("Be brief.", sections={"style": "dry"}, toolsAdded=[{"name": "read"}]))

    lines = pisess.ok("diff", "--context", "ROOT", "HEAD").lines

    assert lines[3:] == ["+system", "+    Be brief.", "+    style:", "+      dry", "+    toolsAdded: read"]


def test_parts_that_are_asked_for_follow_each_other(pisess: Pisess) -> None:
    pisess.use(two_branches())

    out = pisess.ok("diff", "good", "HEAD", "--context", "--stat", "-p").out

    table, _, rest = out.partition("\n\n")
    messages, _, context = rest.rpartition("\n\n--- good")
    assert table.startswith("ancestor\t")
    assert messages.startswith("--- good")
    assert "  user  " in messages
    assert "\n@@ " in context


def test_a_session_and_its_fork_part_where_the_fork_was_made(pisess: Pisess, tmp_path: Path) -> None:
    made = two_branches()
    source = pisess.use(made)
    fork = pisess.ok("fork", "--at", made.id("Done, but slow.")).line

    lines = pisess.ok("diff", f"{source}:HEAD", f"{fork}:HEAD").lines

    assert lines[0] == f"ancestor\tyes\t{made.id('yes')}\t{made.id('yes')}"
    assert lines[1].startswith(f"session\t\t{made.header['id']}\t")
    assert lines[3:5] == ["turns\t\t1\t1", "entries\t\t2\t4"]


def test_sessions_that_share_nothing_are_compared_whole(pisess: Pisess) -> None:
    one = pisess.use(session("one").user("hi"))
    other = session("other").entry("message", id="else", message={"role": "user", "content": "ho"})
    path = other.write(pisess.home / "other.jsonl")

    assert pisess.ok("diff", f"{one}:HEAD", f"{path}:HEAD").lines[0] == "ancestor\t\tROOT\tROOT"


def test_what_a_session_says_does_not_steer_the_terminal(pisess: Pisess) -> None:
    evil = "\x1b[31mred"
    made = session().user("hi").assistant(evil, call(evil, path=evil), call("read", path=evil))
    pisess.use(made)

    out = pisess.ok("diff", "ROOT", "HEAD", "--stat", "-p", "--context").out

    assert "\x1b" not in out
    assert "␛[31mred" in out


@pytest.mark.parametrize("args", [["nonsense"], ["HEAD", "nonsense"], ["HEAD", "HEAD~50"]])
def test_a_point_that_does_not_exist_is_refused(pisess: Pisess, args: list[str]) -> None:
    pisess.use(two_branches())

    pisess.fail("diff", *args)


def test_a_point_is_needed(pisess: Pisess) -> None:
    pisess.use(two_branches())

    pisess.fail("diff", code=2)
