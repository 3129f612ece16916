import io
from pathlib import Path

import pytest

from builder import SessionBuilder, session, tokens_used
from pisess_cli.core.reports.outline import Run, fold, outline
from pisess_cli.core.reports.usage import usage_breakdown
from pisess_cli.core.session.session import Session
from pisess_cli.view.branch_tree import write_branch_tree
from pisess_cli.view.terminal import Terminal


def runs_of(story: SessionBuilder, folder: Path) -> list[Run]:
    return outline(Session(story.write(folder)))


def shape(runs: list[Run]) -> list[tuple[int, bool, int]]:
    return [(run.depth, run.begins, run.tally.entries) for run in runs]


def comb(teeth: int) -> SessionBuilder:
    """A line of entries, each with a branch of one entry beside it; the first one's is twice as long."""
    story = session().user("line 0")
    for number in range(teeth):
        story.assistant(f"tooth {number}").branch_at(f"line {number}").user(f"line {number + 1}")
    return story.branch_at("tooth 0").user("more").branch_at(f"line {teeth}").user("end")


def test_what_has_no_fork_is_one_run(tmp_path: Path) -> None:
    story = session().model("acme", "one").user("a").assistant("b").user("c")

    [run] = runs_of(story, tmp_path)

    assert (run.first.id, run.last.id) == (story.id("a"), story.id("c"))
    assert (run.tally.entries, run.tally.turns) == (3, 2)
    assert run.has_head


def test_at_a_fork_the_branch_beside_stands_before_the_line_that_leads_to_head(tmp_path: Path) -> None:
    story = session().user("a").assistant("b").user("c").branch_at("a").assistant("d").branch_at("c").user("e")

    runs = runs_of(story, tmp_path)

    assert shape(runs) == [(0, True, 1), (1, True, 1), (0, False, 3)]
    assert [run.has_head for run in runs] == [False, False, True]


def test_off_the_way_to_head_the_line_goes_where_most_entries_are(tmp_path: Path) -> None:
    story = session().user("root").assistant("head").branch_at("root").user("x").assistant("long").user("longer")
    story.branch_at("x").assistant("short").branch_at("head").user("end")

    assert shape(runs_of(story, tmp_path)) == [(0, True, 1), (1, True, 1), (2, True, 1), (1, False, 2), (0, False, 2)]


def test_branches_in_branches_in_branches_are_nested_a_few_deep(tmp_path: Path) -> None:
    story = session().user("0")
    for number in range(200):
        story.user(f"{number + 1}")
    for number in range(200):
        story.branch_at(str(number)).user(f"leaf {number}")
    story.branch_at("0").user("head")

    runs = runs_of(story, tmp_path)

    assert len(runs) == 402
    assert max(run.depth for run in runs) == 2


def test_every_root_is_a_line_of_its_own(tmp_path: Path) -> None:
    story = session().user("a").branch_at(None).user("b")

    assert shape(runs_of(story, tmp_path)) == [(0, True, 1), (0, True, 1)]


def test_labels_and_compactions_are_told(tmp_path: Path) -> None:
    story = session().user("a").label("good").assistant("b").compact("short").model("acme", "two").label("late")

    [run] = runs_of(story, tmp_path)

    assert [label.text for label in run.labels] == ["good", "late"]
    assert run.tally.compactions == 1


def test_all_runs_together_cost_what_the_session_did(tmp_path: Path) -> None:
    story = session().entry("usage", provider="acme", model="one", usage=tokens_used(1, 0.5))
    story.user("a").assistant("b", usage=tokens_used(1, 0.25)).branch_at("a").assistant("c", usage=tokens_used(1, 1.0))
    story.entry("usage", provider="acme", model="one", usage=tokens_used(1, 2.0))
    file = Session(story.write(tmp_path))

    runs = outline(file)

    assert [run.tally.cost for run in runs] == [0.5, 0.25, 3.0]
    assert sum(run.tally.cost for run in runs) == sum(row.cost for row in usage_breakdown(file.tree.entries))


def test_a_session_without_history_has_no_runs(tmp_path: Path) -> None:
    assert runs_of(session().model("acme", "one"), tmp_path) == []


def test_what_fits_is_not_folded(tmp_path: Path) -> None:
    runs = runs_of(comb(5), tmp_path)

    assert fold(runs, len(runs)) == runs


def test_the_smallest_branches_are_folded_first_and_what_was_beside_them_is_joined(tmp_path: Path) -> None:
    runs = runs_of(comb(5), tmp_path)

    folded = fold(runs, 3)

    assert shape(folded) == [(0, True, 1), (1, True, 2), (0, False, 6)]
    assert (folded[-1].folded, folded[-1].folded_tally.entries) == (4, 4)
    assert folded[-1].has_head


def test_labelled_branches_are_folded_last(tmp_path: Path) -> None:
    runs = runs_of(comb(5).label("good", on="tooth 3"), tmp_path)

    folded = fold(runs, 3)

    assert [[label.text for label in run.labels] for run in folded] == [[], ["good"], []]


@pytest.mark.parametrize("limit", [1, 0, -5])
def test_the_line_to_head_stays(tmp_path: Path, limit: int) -> None:
    [run] = fold(runs_of(comb(50), tmp_path), limit)

    assert run.has_head
    assert (run.tally.entries, run.folded, run.folded_tally.entries) == (52, 50, 51)


def test_a_folded_branch_counts_those_beside_it(tmp_path: Path) -> None:
    story = session().user("root").user("side").assistant("x").branch_at("side").assistant("y")
    story.branch_at("root").user("head").user("end")

    [run] = fold(runs_of(story, tmp_path), 1)

    assert (run.folded, run.folded_tally.entries) == (2, 3)


def test_nothing_folds_to_nothing() -> None:
    assert fold([], 10) == []


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(runs: list[Run], *, fold_to_fit: bool) -> list[str]:
    screen = Screen()
    terminal = Terminal(stdout=screen, stderr=screen, env={"COLUMNS": "80"}, color="never", use_pager=False)
    write_branch_tree(terminal, runs, fold_to_fit=fold_to_fit, as_json=False)
    return screen.getvalue().split("\n")[:-1]


def test_a_terminal_shows_the_whole_session_in_one_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "6")

    assert drawn(runs_of(comb(50), tmp_path), fold_to_fit=True) == [
        "     Entries  Cost  Ends at   Marks                            Begins with",
        "○          1        0001beef                                   line 0",
        "├─●        2        0066beef                                   tooth 0",
        "●         51        0067beef  HEAD, +49 branches (49 entries)  line 1",
    ]


def test_it_shows_all_branches_if_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "6")

    assert len(drawn(runs_of(comb(50), tmp_path), fold_to_fit=False)) == 1 + 101
