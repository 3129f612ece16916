"""SECURITY.md names tests that there are."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]+/test_\w+\.py)(?:::(\w+))?`", PAGE)))


def test_each_promise_names_a_test() -> None:
    table = PAGE.partition("## Promised")[2].partition("## Not promised")[0]
    promises = [line for line in table.splitlines() if line.startswith("| ")][1:]

    assert len(promises) > 10
    assert [promise for promise in promises if not re.search(r"`[\w/]+/test_\w+\.py", promise)] == []


def test_each_test_that_is_named_is_there() -> None:
    missing = [(file, test) for file, test in NAMED if f"def {test}" not in (TESTS / file).read_text(encoding="utf-8")]

    assert missing == []
