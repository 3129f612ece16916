"""The tree of any entries: paths end, nothing is shown twice or left out, a graph can be drawn."""

from itertools import pairwise
from typing import Any

from hypothesis import given

import hostile
from pisess_cli.core.format.entries import Entry, map_key, read_entry, read_labels
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.tree.history import History
from pisess_cli.core.tree.tree import Tree, TreeNode


def tree_of_file(data: bytes) -> Tree:
    entries: list[Entry] = []
    for line in data.split(b"\n")[1:]:
        try:
            entry = read_entry(line, 0, len(line))
        except BadLine:
            continue
        if entry is not None and entry.type != "session":
            entries.append(entry)
    return Tree(entries)


def tree_of_values(values: list[dict[str, Any]]) -> Tree:
    return Tree([Entry.from_value(value) for value in values])


hostile_trees = hostile.files.map(tree_of_file)
pi_trees = hostile.chains.map(tree_of_values)
trees = hostile_trees | pi_trees


@given(trees)
def test_a_path_leads_from_a_root_down_to_its_entry(tree: Tree) -> None:
    for entry in tree.by_id.values():
        path = tree.path(entry.id)
        if not entry.id or isinstance(entry.id, list | dict):
            continue

        assert path[-1] is entry
        assert len({id(step) for step in path}) == len(path)
        for above, below in pairwise(path):
            assert tree.get(map_key(below.parent_id)) is above


@given(trees)
def test_a_path_goes_on_until_a_root_or_until_it_would_repeat(tree: Tree) -> None:
    for entry in tree.by_id.values():
        path = tree.path(entry.id)
        if path:
            first = path[0]
            assert not first.parent_id or tree.is_root(first) or tree.get(map_key(first.parent_id)) in path


@given(trees)
def test_children_are_the_entries_that_name_the_parent_in_order(tree: Tree) -> None:
    indexed = list(tree.by_id.values())

    for entry in indexed:
        assert tree.children(entry.id) == [child for child in indexed if map_key(child.parent_id) == map_key(entry.id)]
    assert tree.children(None) == [child for child in indexed if child.parent_id is None]


@given(pi_trees)
def test_every_entry_is_one_node_below_its_parent(tree: Tree) -> None:
    todo: list[tuple[TreeNode, object]] = [(root, None) for root in tree.nodes()]
    met: list[Entry] = []
    while todo:
        node, parent = todo.pop()
        assert node.entry.parent_id == parent
        assert node.label == tree.labels.get(map_key(node.entry.id))
        met.append(node.entry)
        todo += [(child, node.entry.id) for child in node.children]

    assert sorted(map(id, met)) == sorted(map(id, tree.entries))


@given(hostile_trees)
def test_roots_are_the_entries_that_hang_from_no_other(tree: Tree) -> None:
    if tree.duplicate_ids or len(tree.by_id) < len(tree.entries):
        return

    roots = [node.entry for node in tree.nodes()]

    assert roots == [
        entry
        for entry in tree.entries
        if entry.parent_id is None
        or map_key(entry.parent_id) == map_key(entry.id)
        or map_key(entry.parent_id) not in tree.by_id
    ]


@given(trees)
def test_the_label_of_an_entry_is_what_was_said_last(tree: Tree) -> None:
    changes = [entry for entry in tree.entries if entry.type == "label"]

    for target in {map_key(entry.target_id) for entry in changes}:
        last = [entry.value.get("label") for entry in changes if map_key(entry.target_id) == target][-1]
        label = tree.labels.get(target)
        assert (label.text if label else None) == (last or None)


@given(trees)
def test_labels_stand_in_the_order_in_which_they_were_set(tree: Tree) -> None:
    half = len(tree.entries) // 2
    before, after = read_labels(tree.entries[:half]), tree.labels

    kept = [target for target in before if target in after]
    cleared = {
        map_key(entry.target_id)
        for entry in tree.entries[half:]
        if entry.type == "label" and not entry.value.get("label")
    }
    steady = [target for target in kept if target not in cleared]
    assert [target for target in after if target in steady] == steady


# The history.


@given(trees)
def test_a_graph_shows_every_history_entry_once(tree: Tree) -> None:
    history = History(tree)

    shown = [row.entry for row in history.graph(None) if row.entry is not None]

    assert sorted(map(id, shown)) == sorted(map(id, history.entries))
    assert all(entry.is_history for entry in shown)


@given(trees)
def test_a_full_graph_shows_the_bookkeeping_too(tree: Tree) -> None:
    history = History(tree, full=True)

    shown = [row.entry for row in history.graph(None) if row.entry is not None]

    assert sorted(map(id, shown)) == sorted(map(id, tree.by_id.values()))


@given(trees)
def test_in_a_graph_an_entry_stands_above_its_parent(tree: Tree) -> None:
    history = History(tree)
    rows = {id(row.entry): at for at, row in enumerate(history.graph(None)) if row.entry is not None}

    for entry in history.entries:
        above = history.parent(entry)
        assert above is None or rows[id(entry)] < rows[id(above)]


@given(trees)
def test_in_a_graph_a_lane_is_open_only_beside_the_one_it_joins(tree: Tree) -> None:
    depth = 0
    for row in History(tree).graph(None):
        if row.entry is None:
            # A lane that is joined is the one to the right.
            assert depth == row.depth + 1
        elif row.depth < depth:
            raise AssertionError("a lane ended without joining another one")
        depth = row.depth

    assert depth == 0


@given(trees)
def test_the_current_path_is_drawn_in_the_first_lane(tree: Tree) -> None:
    history = History(tree)
    for current in history.entries:
        on_path = {id(current)}
        above = history.parent(current)
        while above is not None:
            on_path.add(id(above))
            above = history.parent(above)

        assert all(row.depth == 0 for row in history.graph(current) if id(row.entry) in on_path)


@given(trees)
def test_every_history_entry_lies_at_or_above_a_tip(tree: Tree) -> None:
    history = History(tree)
    reached: set[int] = set()
    for tip in history.tips:
        assert not history.children(tip)
        entry: Entry | None = tip
        while entry is not None:
            reached.add(id(entry))
            entry = history.parent(entry)

    assert reached == {id(entry) for entry in history.entries}


@given(pi_trees)
def test_the_parent_in_the_history_is_the_nearest_history_entry_above(tree: Tree) -> None:
    history = History(tree)

    for entry in history.entries:
        above = [step for step in tree.path(entry.id)[:-1] if step.is_history]
        assert history.parent(entry) is (above[-1] if above else None)
