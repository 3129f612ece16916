from collections.abc import Iterable

import pytest

from builder import SessionBuilder, session
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import UNDEFINED, Maybe
from pisess_cli.core.tree.tree import Tree, TreeNode

LONG = 50_000


def ids(entries: Iterable[Entry]) -> list[Maybe]:
    return [entry.id for entry in entries]


def shape(nodes: list[TreeNode]) -> list[object]:
    """The ids of the nodes, each with those below it."""
    return [[node.entry.id, *shape(node.children)] for node in nodes]


def said(s: SessionBuilder, *words: str) -> list[str]:
    return s.ids(*words)


# Paths.


def test_a_path_leads_from_the_root_to_its_entry() -> None:
    s = session().user("hi").assistant("yes").branch_at("hi").user("no")

    assert ids(s.tree.path(s.id("no"))) == said(s, "hi", "no")
    assert ids(s.tree.path(s.id("yes"))) == said(s, "hi", "yes")


@pytest.mark.parametrize("unknown", ["unknown!", None, "", UNDEFINED, 0, [], {}])
def test_what_names_no_entry_has_no_path(unknown: Maybe) -> None:
    assert session().user("hi").tree.path(unknown) == []


def test_a_path_begins_below_a_parent_that_is_not_there() -> None:
    s = session().user("lost").user("hi").user("yes")
    s.value("hi")["parentId"] = "unknown!"

    assert ids(s.path) == said(s, "hi", "yes")


def test_an_entry_that_is_its_own_parent_is_a_root() -> None:
    s = session().user("hi").user("yes").hang("hi", under="hi")

    assert ids(s.path) == said(s, "hi", "yes")
    assert s.tree.is_root(s.tree.entries[0])


def test_a_cycle_is_cut_where_it_would_repeat() -> None:
    s = session().user("a").user("b").user("c").user("d").hang("a", under="c")

    assert ids(s.path) == said(s, "a", "b", "c", "d")
    assert ids(s.tree.path(s.id("b"))) == said(s, "c", "a", "b")


def test_a_long_path_is_followed_without_recursion() -> None:
    s = session()
    for number in range(LONG):
        s.user(str(number))

    assert len(s.path) == LONG


def test_ids_that_are_numbers_lead_up_too() -> None:
    s = session().entry("message", id=1).entry("message", id="a", parentId=1.0)

    assert ids(s.tree.path("a")) == [1, "a"]


# Duplicates.


def test_of_entries_with_one_id_the_last_counts_at_the_place_of_the_first() -> None:
    s = session().user("first").user("second").again("first", n=2)
    tree = s.tree

    assert ids(tree.by_id.values()) == said(s, "first", "second")
    found = tree.get(s.id("first"))
    assert found is not None
    assert found.value["n"] == 2
    assert tree.duplicate_ids == said(s, "first")


def test_without_duplicates_there_are_none() -> None:
    assert session().user("a").user("b").tree.duplicate_ids == []


def test_entries_without_an_id_share_one_place() -> None:
    tree = session().user("a").entry("message", id=...).entry("custom", id=...).tree

    assert len(tree.entries) == 3
    assert len(tree.by_id) == 2
    assert tree.duplicate_ids == []


# Children and roots.


def test_children_come_in_the_order_of_the_file() -> None:
    s = session().user("top").user("a").branch_at("top").user("b").branch_at("top").user("c")

    assert ids(s.tree.children(s.id("top"))) == said(s, "a", "b", "c")
    assert s.tree.children(s.id("c")) == []


def test_null_has_the_entries_whose_parent_is_null_and_no_orphans() -> None:
    s = session().user("root").user("orphan").entry("message", parentId=...)
    s.value("orphan")["parentId"] = "unknown!"

    assert ids(s.tree.children(None)) == said(s, "root")
    assert ids(s.tree.children("unknown!")) == said(s, "orphan")


def test_orphans_and_entries_without_a_parent_are_roots() -> None:
    s = session().user("root").user("orphan").entry("message", parentId=...)
    s.value("orphan")["parentId"] = "unknown!"

    assert [node.entry.id for node in s.tree.nodes()] == [*said(s, "root", "orphan"), s.values[2]["id"]]


def test_nodes_hang_below_their_parents() -> None:
    s = session().user("a").user("b").branch_at("a").user("c").user("d").branch_at(None).user("e")
    a, b, c, d, e = said(s, "a", "b", "c", "d", "e")

    assert shape(s.tree.nodes()) == [[a, [b], [c, [d]]], [e]]


def test_children_of_a_node_are_sorted_by_time() -> None:
    s = session().user("top").user("late").branch_at("top").user("early")
    s.value("late")["timestamp"] = "2027-01-01T00:00:00.000Z"

    [top] = s.tree.nodes()

    assert [child.entry.id for child in top.children] == said(s, "early", "late")


def test_a_child_with_a_bad_date_stays_where_it_is() -> None:
    s = session().user("top").user("a").branch_at("top").user("b").branch_at("top").user("c")
    s.value("b")["timestamp"] = "yesterday"

    [top] = s.tree.nodes()

    assert [child.entry.id for child in top.children] == said(s, "a", "b", "c")


def test_roots_stay_in_the_order_of_the_file() -> None:
    s = session().user("late").branch_at(None).user("early")
    s.value("late")["timestamp"] = "2027-01-01T00:00:00.000Z"

    assert [node.entry.id for node in s.tree.nodes()] == said(s, "late", "early")


def test_what_hangs_in_a_cycle_hangs_from_no_root() -> None:
    s = session().user("root").branch_at(None).user("a").user("b").hang("a", under="b")

    assert [node.entry.id for node in s.tree.nodes()] == said(s, "root")


def test_with_duplicate_ids_a_node_stands_once_for_each_entry() -> None:
    s = session().user("top").user("twice").again("twice", parentId=session().user("top").id("top"))

    [top] = s.tree.nodes()

    assert [child.entry.id for child in top.children] == said(s, "twice", "twice")


# Labels and the name.


def labels(s: SessionBuilder) -> dict[object, object]:
    return {target: label.text for target, label in s.tree.labels.items()}


def test_the_last_label_of_an_entry_wins() -> None:
    s = session().user("hi").label("old").label("new", on="hi")

    assert labels(s) == {s.id("hi"): "new"}


@pytest.mark.parametrize("nothing", ["", None, 0, False])
def test_a_falsy_label_clears(nothing: object) -> None:
    s = session().user("hi").label("good").label(nothing, on="hi")

    assert labels(s) == {}


def test_a_label_that_is_not_there_clears() -> None:
    s = session().user("hi").label("good").clear_label("hi")

    assert labels(s) == {}


def test_labels_of_every_branch_count() -> None:
    s = session().user("hi").user("a").label("there", on="hi").branch_at("hi").user("b")

    assert labels(s) == {s.id("hi"): "there"}


def test_a_label_keeps_its_place_when_it_is_changed_and_goes_last_when_it_was_cleared() -> None:
    s = session().user("a").label("1").user("b").label("2").user("c").label("3")
    s.label("new", on="a").clear_label("b").label("again", on="b")

    assert list(labels(s).values()) == ["new", "3", "again"]


def test_a_label_has_a_time_of_its_own() -> None:
    s = session().user("hi").label("good")

    assert s.tree.labels[s.id("hi")].timestamp == s.values[1]["timestamp"]


def test_a_label_may_stand_on_what_is_not_there() -> None:
    assert labels(session().entry("label", targetId="unknown!", label="x")) == {"unknown!": "x"}


@pytest.mark.parametrize(
    ("names", "name"),
    [
        (["first", "second"], "second"),
        (["first", ""], None),
        (["first", " \n"], None),
        (["first", 5], None),
        (["\ufeff padded\t"], "padded"),
        ([], None),
    ],
)
def test_the_last_name_counts_even_if_it_is_none(names: list[object], name: str | None) -> None:
    s = session().user("hi")
    for given in names:
        s.name(given)

    assert s.tree.name == name


def test_a_name_from_another_branch_counts() -> None:
    assert session().user("hi").user("a").name("there").branch_at("hi").user("b").tree.name == "there"


def test_an_empty_tree_holds_nothing() -> None:
    tree = Tree([])

    assert (tree.leaf_id, tree.nodes(), tree.children(None), tree.labels, tree.name) == (None, [], [], {}, None)
