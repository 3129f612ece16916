from in_memory import Story, usage
from pisess_cli.core.reports.usage import UNATTRIBUTED, usage_breakdown, usage_of


def spent(tokens: int, cost: float):
    return usage(0, input=tokens, cost={"total": cost})


def rows(story: Story) -> list[tuple[str, float, float]]:
    return [tuple(row) for row in usage_breakdown(story.entries)]


def test_answers_count_for_the_model_that_gave_them():
    story = Story().assistant("a", provider="acme", model="one", usage=spent(5, 0.5))
    story.assistant("b", provider="acme", model="one", responseModel="one-2026", usage=spent(7, 0.25))

    assert rows(story) == [("acme/one", 5, 0.5), ("acme/one-2026", 7, 0.25)]


def test_usage_entries_count_for_the_model_that_they_name():
    story = Story().put("usage", kind="cache_warm", provider="acme", model="one", usage=spent(5, 0.5))

    assert rows(story) == [("acme/one", 5, 0.5)]


def test_tools_and_summaries_share_a_row():
    story = Story().result("x", usage=spent(1, 1.0)).compaction("s", "e1", usage=spent(2, 1.0))
    story.branch_summary("b", usage=spent(4, 1.0))

    assert rows(story) == [(UNATTRIBUTED, 7, 3.0)]


def test_all_branches_count():
    story = Story().user("hi").assistant("a", usage=spent(1, 1.0)).at("e1").assistant("b", usage=spent(2, 1.0))

    assert rows(story) == [("undefined/undefined", 3, 2.0)]


def test_the_dearest_comes_first_and_equal_ones_as_they_were_met():
    story = Story()
    for model, cost in (("b", 1.0), ("a", 1.0), ("c", 2.0)):
        story.assistant("", provider="p", model=model, usage=spent(1, cost))

    assert [key for key, _, _ in rows(story)] == ["p/c", "p/b", "p/a"]


def test_what_used_nothing_has_no_row():
    assert rows(Story().assistant("a", provider="p", model="m", usage=spent(0, 0))) == []


def test_tokens_are_all_four_parts_and_not_the_total():
    story = Story().assistant("a", usage=usage(999, input=1, output=2, cacheRead=3, cacheWrite=4))

    assert rows(story)[0][1] == 10


def test_an_entry_without_usage_has_none():
    story = Story().user("hi").assistant("a").label("e1").assistant("b", usage="much")

    assert [usage_of(entry) for entry in story.entries] == [None] * 4


def test_usage_of_any_type_counts_as_far_as_it_has_numbers():
    story = Story().assistant("a", usage={"input": "5", "output": 3, "cacheRead": [], "cost": 7})
    story.assistant("b", usage={"input": None, "cost": {"total": "much"}})

    assert rows(story) == [("undefined/undefined", 3, 0)]
