import json
from collections.abc import Callable

import pytest

from builder import SessionBuilder, every_kind, id_of, session, talk, time_of
from pisess_cli.core.format.times import parse_ms
from running import Pisess, unchanged

Golden = Callable[[str, str], None]


def ids(pisess: Pisess, *args: object) -> list[str]:
    """The ids of what the log shows, in its order."""
    return [json.loads(line)["id"] for line in pisess.ok("log", "--json", *args).lines]


def branching() -> SessionBuilder:
    """a - b - c, and d - e off a; the leaf is e."""
    return session().user("a").user("b").label("x").user("c").branch_at("a").user("d").user("e")


# What is shown.


def test_the_current_branch_is_shown_newest_first(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert ids(pisess) == s.ids("e", "d", "a")


def test_another_branch_is_shown_where_it_is_named(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert ids(pisess, s.id("c")) == s.ids("c", "b", "a")
    assert ids(pisess, "x~1") == s.ids("a")


def test_a_range_is_what_is_on_one_path_and_not_on_the_other(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert ids(pisess, f"{s.id('c')}..HEAD") == s.ids("e", "d")
    assert ids(pisess, "HEAD..x") == s.ids("b")
    assert ids(pisess, "x...HEAD") == s.ids("e", "d", "b")
    assert ids(pisess, "HEAD..HEAD") == []


def test_all_branches_are_shown_in_the_order_of_the_file(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert ids(pisess, "--all") == s.ids("e", "d", "c", "b", "a")


@pytest.mark.parametrize("args", [["HEAD~1..HEAD"], ["HEAD~1...HEAD"], ["--graph", "HEAD~1..HEAD"]])
def test_all_branches_are_no_range(pisess: Pisess, args: list[str]) -> None:
    pisess.use(branching())

    assert "--all shows all branches" in pisess.fail("log", "--all", *args, code=2)


def test_a_revision_is_among_all_branches(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert ids(pisess, "--all", "HEAD~1") == s.ids("e", "d", "c", "b", "a")
    assert "no entry or label" in pisess.fail("log", "--all", "nosuch")


def test_an_empty_revision_is_refused(pisess: Pisess) -> None:
    pisess.use(branching())

    assert "an empty revision names nothing" in pisess.fail("log", "", code=2)


def test_a_graph_of_all_branches_has_the_path_to_a_revision_on_the_left(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    lines = pisess.ok("log", "--graph", "--all", "--format", "%s", s.id("c")).lines

    assert [line for line in lines if line.startswith("* ")] == ["* c", "* b", "* a"]


def test_the_log_can_begin_in_another_session(pisess: Pisess) -> None:
    here, there = branching(), session("other").user("a").user("there")
    pisess.use(here)
    path = there.write(pisess.home / "there.jsonl")

    assert ids(pisess, f"{path}:HEAD") == there.ids("there", "a")
    assert ids(pisess, f"{path}:HEAD~1..HEAD") == there.ids("there")


def test_bookkeeping_is_shown_in_full_only(pisess: Pisess) -> None:
    pisess.use(talk())

    assert len(ids(pisess)) == 6
    assert ids(pisess, "--full") == [id_of(number) for number in (12, 11, 7, 6, 5, 4, 3, 2, 1)]


def test_no_more_entries_are_shown_than_are_asked_for(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert ids(pisess, "-n", 2) == s.ids("e", "d")
    assert ids(pisess, "-n", 0) == []
    assert ids(pisess, "-n", 99) == s.ids("e", "d", "a")


def test_in_reverse_the_same_entries_come_the_oldest_first(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert ids(pisess, "--reverse", "-n", 2) == s.ids("d", "e")


def test_types_and_roles_choose(pisess: Pisess) -> None:
    s = talk()
    pisess.use(s)

    assert ids(pisess, "--role", "toolResult") == [id_of(6)]
    assert ids(pisess, "--role", "USER", "--role", "system") == [id_of(11), id_of(4), id_of(3)]
    assert ids(pisess, "--type", "label", "--all") == [id_of(8)]


def test_a_role_that_no_message_has_is_a_usage_error(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "no such role (robot)" in pisess.fail("log", "--role", "robot", code=2)


def test_a_pattern_chooses_by_text(pisess: Pisess) -> None:
    s = talk()
    pisess.use(s)

    assert ids(pisess, "--grep", "pars[e]") == [id_of(7), id_of(6), id_of(4)]
    assert ids(pisess, "--grep", "WHERE") == []
    assert ids(pisess, "--grep", "WHERE", "-i") == [id_of(4)]


def test_what_is_no_pattern_is_a_usage_error(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "not a regular expression" in pisess.fail("log", "--grep", "(", code=2)


def test_time_chooses(pisess: Pisess) -> None:
    pisess.use(talk())

    assert ids(pisess, "--since", time_of(11)) == [id_of(12), id_of(11)]
    assert ids(pisess, "--until", time_of(5)) == [id_of(5), id_of(4)]
    assert ids(pisess, "--until", "2026-02-28") == []


def test_what_is_no_date_is_a_usage_error(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "not a date (soon)" in pisess.fail("log", "--since", "soon", code=2)


def test_nothing_to_show_is_no_failure(pisess: Pisess) -> None:
    pisess.use(talk())

    result = pisess.ok("log", "--grep", "nobody said this")

    assert result.out == ""


def test_an_empty_session_has_no_log(pisess: Pisess) -> None:
    pisess.use(session())

    assert "no entry yet" in pisess.fail("log")


# How it looks.


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("log", []),
        ("log-all", ["--all", "--full"]),
        ("log-oneline", ["--oneline", "--full"]),
        ("log-patch", ["-p"]),
        ("log-stat", ["--stat"]),
        ("log-graph", ["--graph", "--all"]),
        ("log-graph-oneline", ["--graph", "--all", "--oneline"]),
        ("log-graph-full", ["--graph", "--all", "--oneline", "--full"]),
        ("log-color", ["--oneline", "--graph", "--all", "--color=always"]),
    ],
)
def test_a_log_looks_as_it_did(pisess: Pisess, golden: Golden, name: str, args: list[str]) -> None:
    pisess.use(talk())

    golden(name, pisess.ok("log", "--date=unix", *args).out)


@pytest.mark.parametrize(
    ("name", "args"),
    [("log-kinds", ["--full"]), ("log-kinds-oneline", ["--full", "--oneline"]), ("log-kinds-patch", ["--full", "-p"])],
)
def test_every_kind_of_entry_looks_as_it_did(pisess: Pisess, golden: Golden, name: str, args: list[str]) -> None:
    pisess.use(every_kind())

    golden(name, pisess.ok("log", "--date=unix", *args).out)


def test_in_a_pipe_nothing_is_cut(pisess: Pisess) -> None:
    pisess.use(session().user("x" * 500))

    assert "x" * 500 in pisess.ok("log").out
    assert "x" * 500 in pisess.ok("log", "--oneline").out


def test_a_graph_shows_a_range_or_another_branch_too(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    ranged = pisess.ok("log", "--graph", "--oneline", "HEAD~1..HEAD").lines
    other = pisess.ok("log", "--graph", "--oneline", "x").lines

    assert [line.split()[1] for line in ranged] == s.ids("e")
    assert [line.split()[1] for line in other] == s.ids("b", "a")


def test_a_graph_shows_what_is_chosen_and_as_much_of_it_as_is_asked_for(pisess: Pisess) -> None:
    pisess.use(talk())

    shown = pisess.ok("log", "--graph", "--all", "--oneline", "-n", 2, "--role", "user").lines
    labels = pisess.ok("log", "--graph", "--all", "--oneline", "--type", "label").lines

    assert [line.split()[-3:] for line in shown if "*" in line] == [
        ["Only", "rename", "it."],
        ["user", "Rewrite", "it."],
    ]
    assert [line.split()[-4:] for line in labels if "*" in line] == [["label", "found", "on", id_of(7)]]


@pytest.mark.parametrize("option", ["--reverse", "--json", "--follow"])
def test_a_graph_goes_with_no_other_order_or_form(pisess: Pisess, option: str) -> None:
    pisess.use(talk())

    assert "--graph goes with none of" in pisess.fail("log", "--graph", option, code=2)


def test_a_format_says_what_is_shown_of_each_entry(pisess: Pisess) -> None:
    pisess.use(talk())

    lines = pisess.ok("log", "-n", 2, "--format", "%h|%p|%t|%r|%s|%at|%T|%c|%m|%d|%%").lines

    ms = parse_ms(time_of(12))
    assert ms is not None
    assert lines == [
        f"{id_of(12)}|{id_of(11)}|message|assistant|Renamed.|{ms // 1000}|2|0.0150|one||%",
        f"{id_of(11)}|{id_of(7)}|message|user|Only rename it.|{ms // 1000 - 1}|4||||%",
    ]


def test_records_end_in_nul_where_that_is_asked_for(pisess: Pisess) -> None:
    pisess.use(session().user("a\nb").user("c"))

    assert pisess.ok("log", "-z", "--format", "%b").out == "c\0a\nb\0"


def test_an_unknown_style_of_dates_is_a_usage_error(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "no such date style" in pisess.fail("log", "--date", "stardate", code=2)


# JSON.


def test_json_lines_are_the_lines_of_the_file(pisess: Pisess) -> None:
    odd = '{"type":"message", "id":"odd1","parentId":"0001beef","n":1.0,"big":12345678901234567890,"e":"\\u0041"}'
    s = session().user("hi").raw(odd)
    pisess.use(s)

    assert pisess.ok("log", "--json").lines == [odd, s.lines[1].decode()]


def test_json_lines_of_an_old_file_are_those_that_a_current_one_would_have(pisess: Pisess) -> None:
    pisess.use(session().user("a").user("b").version(1))

    newer, older = [json.loads(line) for line in pisess.ok("log", "--json").lines]

    assert newer["parentId"] == older["id"]
    assert older["parentId"] is None


# Reading only.


@pytest.mark.parametrize("args", [[], ["--graph", "--all"], ["--json", "--full"], ["-p", "--stat"], ["-n", "1"]])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_log_changes_nothing(pisess: Pisess, version: int, args: list[str]) -> None:
    pisess.use(talk().version(version).without_final_newline())

    with unchanged(pisess.home):
        pisess.ok("log", *args)


def test_lines_that_were_skipped_are_told_on_stderr_unless_one_wants_quiet(pisess: Pisess) -> None:
    pisess.use(session().user("a").raw("{torn").raw("nonsense").user("b"))

    assert "2 lines are no JSON and skipped" in pisess.ok("log", "--json").err
    assert pisess.ok("log", "--json", "-q").err == ""


def test_a_cycle_is_told_on_stderr(pisess: Pisess) -> None:
    s = session().user("a").user("b").user("c").hang("a", under="c")
    pisess.use(s)

    result = pisess.ok("log", "--json")

    assert [json.loads(line)["id"] for line in result.lines] == s.ids("c", "b", "a")
    assert "their own ancestors" in result.err
