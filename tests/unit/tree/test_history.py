from builder import SessionBuilder, session
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.tree.history import History

LONG = 50_000


def history(s: SessionBuilder, *, full: bool = False) -> History:
    return History(s.tree, full=full)


def drawn(s: SessionBuilder, current: str | None = None, *, full: bool = False) -> list[str]:
    """The rows of the graph: an entry's words in its lane, or where a lane joins the one to its left."""
    names = {s.id(words): words for words in WORDS if words in {*_said(s)}}
    start = None if current is None else s.tree.get(s.id(current))
    rows = []
    for depth, entry in history(s, full=full).graph(start):
        rows.append("| " * depth + ("|/" if entry is None else f"* {names.get(str(entry.id), entry.type)}"))
    return rows


WORDS = "abcdefgh"


def _said(s: SessionBuilder) -> list[object]:
    return [value.get("message", {}).get("content") for value in s.values]


def found(s: SessionBuilder, words: str) -> Entry:
    entry = s.tree.get(s.id(words))
    assert entry is not None
    return entry


def parent(s: SessionBuilder, words: str) -> object:
    above = history(s).parent(found(s, words))
    return None if above is None else above.id


# Above and below.


def test_the_parent_is_the_nearest_history_entry_above() -> None:
    s = session().model("acme", "one").user("a").label("x").custom("y").user("b")

    assert parent(s, "b") == s.id("a")
    assert parent(s, "a") is None


def test_in_full_the_parent_is_the_entry_right_above() -> None:
    s = session().user("a").custom("x").user("b")

    above = history(s, full=True).parent(found(s, "b"))

    assert above is not None
    assert above.type == "custom"


def test_children_and_roots_come_in_the_order_of_the_file() -> None:
    s = session().user("a").custom("x").user("b").branch_at("a").user("c").branch_at(None).user("d")
    h = history(s)

    assert [entry.id for entry in h.children(found(s, "a"))] == s.ids("b", "c")
    assert [entry.id for entry in h.children(None)] == s.ids("a", "d")


def test_a_tip_has_no_history_below_it() -> None:
    s = session().user("a").user("b").custom("x").branch_at("a").user("c")

    assert [entry.id for entry in history(s).tips] == s.ids("b", "c")


def test_orphans_and_self_parents_are_roots() -> None:
    s = session().user("a").user("b").hang("a", under="a")
    s.value("b")["parentId"] = "unknown!"

    assert [entry.id for entry in history(s).children(None)] == s.ids("a", "b")


def test_a_cycle_hangs_from_its_first_entry() -> None:
    s = session().user("a").user("b").user("c").hang("a", under="c")

    assert (parent(s, "a"), parent(s, "b"), parent(s, "c")) == (None, s.id("a"), s.id("b"))


def test_a_cycle_of_bookkeeping_is_no_parent() -> None:
    s = session().custom("x").custom("y").user("a")
    s.values[0]["parentId"] = s.values[1]["id"]

    assert parent(s, "a") is None


# The graph.


def test_a_single_branch_is_one_lane_newest_first() -> None:
    assert drawn(session().user("a").user("b").user("c")) == ["* c", "* b", "* a"]


def test_a_side_branch_stands_above_the_entry_it_forked_off_from() -> None:
    s = session().user("a").user("b").branch_at("a").user("c").user("d")

    assert drawn(s, "d") == ["* d", "* c", "| * b", "|/", "* a"]


def test_the_current_path_is_the_first_lane_even_if_it_is_older() -> None:
    s = session().user("a").user("b").branch_at("a").user("c").user("d")

    assert drawn(s, "b") == ["* b", "| * d", "| * c", "|/", "* a"]


def test_without_a_current_path_the_newest_child_goes_on() -> None:
    s = session().user("a").user("b").branch_at("a").user("c")

    assert drawn(s) == ["* c", "| * b", "|/", "* a"]


def test_branches_of_branches_have_lanes_further_right() -> None:
    s = session().user("a").user("b").user("c").branch_at("b").user("d").branch_at("a").user("e")

    assert drawn(s, "e") == ["* e", "| * d", "| | * c", "| |/", "| * b", "|/", "* a"]


def test_many_branches_off_one_entry_use_one_lane_after_the_other() -> None:
    s = session().user("a").user("b").branch_at("a").user("c").branch_at("a").user("d")

    assert drawn(s, "d") == ["* d", "| * c", "|/", "| * b", "|/", "* a"]


def test_several_roots_stand_one_after_the_other_newest_first() -> None:
    s = session().user("a").user("b").branch_at(None).user("c")

    assert drawn(s) == ["* c", "* b", "* a"]


def test_bookkeeping_is_drawn_in_full_only() -> None:
    s = session().user("a").custom("x").user("b")

    assert drawn(s) == ["* b", "* a"]
    assert drawn(s, full=True) == ["* b", "* custom", "* a"]


def test_a_long_chain_is_drawn_without_recursion() -> None:
    s = session()
    for number in range(LONG):
        s.user(str(number))

    assert sum(1 for _ in history(s).graph(None)) == LONG


def test_thousands_of_branches_need_two_lanes() -> None:
    s = session().user("a")
    for number in range(5000):
        s.branch_at("a").user(str(number))

    rows = list(history(s).graph(None))

    assert max(row.depth for row in rows) == 1
    assert len(rows) == 5001 + 4999
