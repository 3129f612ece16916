"""What a pruned copy holds: the branches that stay, as they were, and what was said of them elsewhere."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import SessionBuilder, call, id_of, session, time_of
from hostile import chains, files, header, line_of
from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.fsck import check
from pisess_cli.core.copies.prune import Choice, Pruning, chosen_branches
from pisess_cli.core.errors import Refused
from pisess_cli.core.format.entry_text import entry_text
from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.session.session import Session


def forked() -> SessionBuilder:
    """Two branches below `start`: `left, left end`, and the current one, `right, right end`."""
    start = session().user("start").assistant("fork")
    return start.user("left").assistant("left end").branch_at("fork").user("right").assistant("right end")


def three() -> SessionBuilder:
    """A third branch, `deep`, off the left one; `right end` is current."""
    made = session().user("start").assistant("fork").user("left").assistant("left end")
    return made.branch_at("left").assistant("deep").branch_at("fork").user("right").assistant("right end")


class Copy:
    """A pruned copy: `branches` are dropped, each by its tip."""

    def __init__(self, made: SessionBuilder, folder: Path, *branches: str) -> None:
        self.source = Session(made.write(folder))
        wanted = set(made.ids(*branches))
        choice = Choice(holding=[entry for entry in self.source.tree.entries if entry.id in wanted])
        self.plan = Pruning(self.source, chosen_branches(self.source, choice) if wanted else [])
        self.path = folder / "copy.jsonl"
        self.path.write_bytes(b"".join(self.plan.lines()))
        self.session = Session(self.path)
        self.lines = self.path.read_bytes().split(b"\n")[:-1]
        self.values: list[dict[str, Any]] = [json.loads(line) for line in self.lines if line.startswith(b"{")]

    @property
    def ids(self) -> list[str]:
        return [value["id"] for value in self.values[1:]]

    @property
    def parents(self) -> dict[str, str | None]:
        return {value["id"]: value["parentId"] for value in self.values[1:]}

    @property
    def said(self) -> list[str]:
        """What the entries say, in the file's order."""
        return [text for entry in self.session.tree.entries if (text := entry_text(entry))]


def context(session: Session) -> list[JsonObject]:
    return session.projection(session.leaf).messages


def tips(made: SessionBuilder, folder: Path, choice: Choice) -> list[str]:
    """What the branches end with that go."""
    found = chosen_branches(Session(made.write(folder)), choice)
    return sorted(entry_text(branch.tip) for branch in found)


def entries(made: SessionBuilder, folder: Path, *words: str) -> list[Any]:
    source = Session(made.write(folder))
    return [source.tree.get(entry_id) for entry_id in made.ids(*words)]


# Which branches go.


@pytest.mark.parametrize(
    ("holding", "dropped"),
    [
        (["left end"], ["left end"]),
        (["deep"], ["deep"]),
        (["left"], ["deep", "left end"]),
        (["left end", "deep"], ["deep", "left end"]),
    ],
)
def test_the_branches_go_that_hold_an_entry(tmp_path: Path, holding: list[str], dropped: list[str]) -> None:
    assert tips(three(), tmp_path, Choice(holding=entries(three(), tmp_path, *holding))) == dropped


def test_what_stands_below_a_tip_names_its_branch(tmp_path: Path) -> None:
    made = session().user("start").user("left").label("mark", on="start").branch_at("start").user("right")

    assert tips(made, tmp_path, Choice(holding=entries(made, tmp_path, id_of(3)))) == ["left"]


@pytest.mark.parametrize("word", ["right end", "right", "start"])
def test_the_current_branch_cannot_go(tmp_path: Path, word: str) -> None:
    with pytest.raises(Refused, match="the current branch"):
        tips(forked(), tmp_path, Choice(holding=entries(forked(), tmp_path, word)))


def test_the_branches_go_that_ended_before_a_time(tmp_path: Path) -> None:
    made = three()

    def ended_before(number: int) -> list[str]:
        return tips(made, tmp_path, Choice(older_than=parse_ms(time_of(number))))

    assert ended_before(4) == []
    assert ended_before(5) == ["left end"]
    assert ended_before(60) == ["deep", "left end"]


def test_a_branch_that_ended_nobody_knows_when_is_not_older(tmp_path: Path) -> None:
    made = session().user("start").user("left", timestamp=0).branch_at("start").user("right")
    made.value("left")["timestamp"] = "yesterday"

    assert tips(made, tmp_path, Choice(older_than=parse_ms(time_of(60)))) == []


def test_kept_branches_stay_whatever_else_is_said(tmp_path: Path) -> None:
    [left, deep, right] = entries(three(), tmp_path, "left", "deep", "right")

    assert tips(three(), tmp_path, Choice(holding=[left], kept=[deep])) == ["left end"]
    assert tips(three(), tmp_path, Choice(holding=[left, right], kept=[right])) == ["deep", "left end"]


def test_if_only_kept_ones_are_named_the_others_go(tmp_path: Path) -> None:
    [deep, right] = entries(three(), tmp_path, "deep", "right")

    assert tips(three(), tmp_path, Choice(kept=[deep])) == ["left end"]
    assert tips(three(), tmp_path, Choice(kept=[right])) == ["deep", "left end"]


def merged() -> SessionBuilder:
    """`side` was left with a summary for `main`, where the work goes on; `other` was just left."""
    made = session().user("start").user("other").branch_at("start").user("side").branch_at("start")
    return made.branch_summary("what side was", left="side").user("main")


def test_a_branch_is_merged_where_a_summary_of_it_is_on_the_path(tmp_path: Path) -> None:
    assert tips(merged(), tmp_path, Choice(merged_into=entries(merged(), tmp_path, "main")[0])) == ["side"]


def test_a_branch_that_went_on_after_its_summary_is_not_merged(tmp_path: Path) -> None:
    made = merged().branch_at("side").user("side goes on").branch_at("main").user("end")

    assert tips(made, tmp_path, Choice(merged_into=entries(made, tmp_path, "end")[0])) == []


def test_what_was_merged_into_a_merged_branch_is_merged(tmp_path: Path) -> None:
    made = session().user("start").user("one").branch_at("start").branch_summary("what one was", left="one")
    made.user("two").branch_at("start").branch_summary("what two was", left="two").user("main")

    assert tips(made, tmp_path, Choice(merged_into=entries(made, tmp_path, "main")[0])) == ["one", "two"]


def test_a_branch_is_not_merged_into_itself(tmp_path: Path) -> None:
    made = merged().branch_at("start").user("now")

    assert tips(made, tmp_path, Choice(merged_into=entries(made, tmp_path, "main")[0])) == ["side"]


def test_summaries_that_name_each_other_do_not_hang(tmp_path: Path) -> None:
    made = session().user("start").branch_summary("a").branch_summary("b", left="a").user("main")
    made.value("a")["fromId"] = made.id("b")

    assert tips(made, tmp_path, Choice(merged_into=entries(made, tmp_path, "main")[0])) == []


# What is in the copy.


def test_a_branch_goes_with_what_it_alone_has(tmp_path: Path) -> None:
    copy = Copy(three(), tmp_path, "deep")

    assert copy.said == ["start", "fork", "left", "left end", "right", "right end"]
    assert copy.lines == [line for line in three().lines if b'"deep"' not in line]


def test_entries_go_that_no_branch_has_any_more(tmp_path: Path) -> None:
    assert Copy(three(), tmp_path, "left").said == ["start", "fork", "right", "right end"]


def test_bookkeeping_goes_with_its_branch(tmp_path: Path) -> None:
    made = session().user("fork").model("acme", "two").user("left").custom("ext").branch_at("fork").thinking("high")
    made.user("right")

    assert Copy(made, tmp_path, "left").ids == [made.id("fork"), id_of(5), made.id("right")]


def test_a_branch_of_its_own_root_goes_whole(tmp_path: Path) -> None:
    made = session().user("old").assistant("yes").branch_at(None).user("new")

    assert Copy(made, tmp_path, "yes").said == ["new"]


def test_every_line_that_stays_keeps_its_bytes(tmp_path: Path) -> None:
    odd = '{"type":"custom", "id":"odd", "parentId":"' + id_of(2) + '","timestamp":"t","n":[1.0,1e400,"\\u0041"]}'
    made = forked().raw(odd).raw("no json").branch_at("right end").user("end")

    copy = Copy(made, tmp_path, "left end")

    assert copy.path.read_bytes() == b"".join(
        line + b"\n" for line in made.lines if b'"left' not in line and b'"left end' not in line
    )


def test_the_source_stays(tmp_path: Path) -> None:
    copy = Copy(forked(), tmp_path, "left end")

    assert copy.source.path.read_bytes() == forked().data


def test_the_copy_may_have_another_header(tmp_path: Path) -> None:
    source = Session(forked().write(tmp_path))

    lines = list(Pruning(source, [], header=b"header\n").lines())

    assert lines[0] == b"header\n"
    assert b"".join(lines[1:]).split(b"\n")[:-1] == forked().lines[1:]


def test_what_it_saves_is_what_is_written(tmp_path: Path) -> None:
    copy = Copy(three(), tmp_path, "left")

    size = len(copy.path.read_bytes())
    assert copy.plan.savings == (len(three().data), size, 7, 4)


def test_nothing_to_leave_out_is_no_reason_for_a_copy(tmp_path: Path) -> None:
    assert not Copy(forked(), tmp_path).plan.is_needed
    assert Copy(forked(), tmp_path, "left end").plan.is_needed


# What the rest needs of a branch that goes.


def test_labels_of_entries_that_stay_stay_with_them(tmp_path: Path) -> None:
    made = session().user("start").assistant("fork").user("left").label("mark", on="start").label("gone", on="left")
    made.clear_label("fork").branch_at("fork").user("right")

    copy = Copy(made, tmp_path, "left")

    assert copy.ids == [id_of(1), id_of(2), id_of(4), id_of(6), id_of(7)]
    assert (copy.parents[id_of(4)], copy.parents[id_of(6)]) == (id_of(2), id_of(4))
    assert [label.text for label in copy.session.tree.labels.values()] == ["mark"]


def test_the_name_stays_that_was_given_on_the_branch(tmp_path: Path) -> None:
    made = session().name("first").user("fork").user("left").name("second").name("last").branch_at("fork").user("right")

    copy = Copy(made, tmp_path, "left")

    assert copy.session.tree.name == "last"
    assert copy.ids == [id_of(1), id_of(2), id_of(5), id_of(6)]
    assert copy.parents[id_of(5)] == id_of(2)


def test_labels_of_entries_that_go_go_with_them(tmp_path: Path) -> None:
    made = forked().label("mark", on="left end").user("end")

    copy = Copy(made, tmp_path, "left end")

    assert copy.parents[made.id("end")] == made.id("right end")
    assert copy.session.tree.labels == {}


def test_an_edit_of_an_entry_that_goes_goes_with_it(tmp_path: Path) -> None:
    made = forked().edit("left", "else").label("on the edit").user("end")

    copy = Copy(made, tmp_path, "left end")

    assert copy.parents[made.id("end")] == made.id("right end")
    assert context(copy.session) == context(copy.source)


def test_what_a_compaction_keeps_first_is_the_next_that_stays(tmp_path: Path) -> None:
    made = forked().label("mark", on="left").user("kept").compact("sum", keep="kept").user("end")
    made.value("sum")["firstKeptEntryId"] = id_of(7)

    copy = Copy(made, tmp_path, "left end")

    assert next(value for value in copy.values if value["type"] == "compaction")["firstKeptEntryId"] == made.id("kept")
    assert context(copy.session) == context(copy.source)


def test_a_compaction_that_kept_nothing_but_a_label_keeps_nothing(tmp_path: Path) -> None:
    made = forked().label("mark", on="left").compact("sum").user("end")
    made.value("sum")["firstKeptEntryId"] = id_of(7)

    copy = Copy(made, tmp_path, "left end")

    assert next(value for value in copy.values if value["type"] == "compaction")["firstKeptEntryId"] == made.id("sum")
    assert context(copy.session) == context(copy.source)


def left_in_a_turn() -> SessionBuilder:
    """The branch with the results goes; the current one left before them."""
    made = session().user("do it").assistant("calls", call("a", "1"), call("b", "2"))
    return made.result("one", "1").custom("ext").result("two", "2").assistant("left end")


def test_results_of_calls_that_stay_stay(tmp_path: Path) -> None:
    made = left_in_a_turn().branch_at("calls").user("never mind")

    copy = Copy(made, tmp_path, "left end")

    assert copy.said == ["do it", "calls", "one", "two", "never mind"]
    assert copy.parents[made.id("two")] == made.id("one")


def test_results_that_others_stand_for_go(tmp_path: Path) -> None:
    made = left_in_a_turn().branch_at("calls").result("one again", "1").result("two again", "2").user("right")

    assert Copy(made, tmp_path, "left end").said == ["do it", "calls", "one again", "two again", "right"]


# Where the leaf is.


def test_the_leaf_stays_where_it_was(tmp_path: Path) -> None:
    copy = Copy(forked(), tmp_path, "left end")

    assert copy.session.leaf is not None
    assert copy.session.leaf.id == forked().id("right end")


def test_a_leaf_that_goes_leaves_the_one_above_it(tmp_path: Path) -> None:
    made = forked().label("mark", on="left")

    copy = Copy(made, tmp_path, "left end")

    assert copy.ids[-1] == made.id("right end")


def test_a_leaf_that_goes_from_another_place_is_kept_by_a_checkout(tmp_path: Path) -> None:
    made = three().branch_at("fork").label("mark", on="deep")

    copy = Copy(made, tmp_path, "deep")

    last = copy.values[-1]
    assert (last["customType"], last["parentId"]) == ("pisess.checkout", made.id("fork"))
    assert last["data"] == {"from": made.id("right end")}
    assert context(copy.session) == context(copy.source)
    assert copy.plan.savings.entries_after == len(copy.ids)


def test_a_leaf_at_the_root_keeps_all_that_is_kept(tmp_path: Path) -> None:
    made = forked().checkout(None)

    copy = Copy(made, tmp_path, "left end", "right end")

    assert [value["type"] for value in copy.values[1:]] == ["custom"]


def test_a_leaf_among_bookkeeping_keeps_what_stands_above_it(tmp_path: Path) -> None:
    made = session().model("acme", "one").thinking("off").user("old").assistant("yes").branch_at(id_of(2)).custom("x")

    assert Copy(made, tmp_path, "yes").ids == [id_of(1), id_of(2), id_of(5)]


# Any file.


def test_sessions_of_the_first_version_become_current_ones(tmp_path: Path) -> None:
    copy = Copy(session().user("one").user("two").version(1), tmp_path)

    assert copy.values[0]["version"] == 3
    assert copy.said == ["one", "two"]


def test_a_branch_of_a_long_chain_of_labels_goes_quickly(tmp_path: Path) -> None:
    made = session().user("fork").user("left").branch_at("fork")
    for _ in range(3000):
        made.label("mark", on="left")
    made.user("right")

    copy = Copy(made, tmp_path, "left")

    assert copy.parents == {made.id("fork"): None, made.id("right"): made.id("fork")}


def without_branches(path: Path, first: int) -> tuple[Session, Pruning, Path]:
    """A session, the plan for a copy without its branches from the one of that place on, and that copy."""
    source = Session(path)
    chosen = chosen_branches(source, Choice(older_than=1e15))
    plan = Pruning(source, chosen[first:])
    pruned = path.with_name("pruned.jsonl")
    pruned.write_bytes(b"".join(plan.lines()))
    return source, plan, pruned


@given(files, st.integers(0, 3))
def test_no_file_is_too_odd(tmp_path_factory: pytest.TempPathFactory, data: bytes, first: int) -> None:
    path = tmp_path_factory.getbasetemp() / "odd.jsonl"
    path.write_bytes(data)

    source, plan, pruned = without_branches(path, first)

    copy = Session(pruned)
    assert plan.savings[1::2] == (pruned.stat().st_size, len(copy.tree.entries))
    if source.leaf is not None and isinstance(source.leaf.id, str):
        assert context(copy) == context(source)


@given(chains, st.integers(0, 3))
def test_no_fault_comes_of_it(tmp_path_factory: pytest.TempPathFactory, made: list[dict[str, Any]], first: int) -> None:
    path = tmp_path_factory.getbasetemp() / "chain.jsonl"
    path.write_bytes(header() + b"".join(line_of(entry) + b"\n" for entry in made))

    source, _, pruned = without_branches(path, first)

    assert errors(pruned) <= errors(path)
    assert context(Session(pruned)) == context(source)


def errors(path: Path) -> Counter[str]:
    return Counter(finding.code for finding in check(FileScan(path)) if finding.severity == "error")
