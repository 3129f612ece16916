import re
from typing import Any

import pytest

from builder import SessionBuilder, session
from pisess_cli.core.errors import UsageFault
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.search.entry_filter import EntryFilter, check_roles

TALK = (
    session()
    .system("Be brief.")
    .user("Where is the parser?")
    .assistant("In src.")
    .label("found")
    .result("def parse(): ...")
    .compact("sum")
    .entry("from_the_future")
)


def shown(s: SessionBuilder, **wanted: Any) -> list[int]:
    """The numbers of the entries that are shown, from 1."""
    chosen = set(map(id, EntryFilter(**wanted).select(entries := s.entries)))
    return [number for number, entry in enumerate(entries, 1) if id(entry) in chosen]


def test_history_alone_is_shown() -> None:
    assert shown(TALK) == [2, 3, 5, 6, 7]


def test_all_is_shown_in_full() -> None:
    assert shown(TALK, full=True) == [1, 2, 3, 4, 5, 6, 7]


def test_what_is_bookkeeping_is_shown_where_its_type_or_role_is_asked_for() -> None:
    assert shown(TALK, types=("label",)) == [4]
    assert shown(TALK, roles=("system",)) == [1]


def test_several_types_or_roles_may_be_asked_for() -> None:
    assert shown(TALK, types=("compaction", "from_the_future")) == [6, 7]
    assert shown(TALK, roles=("user", "toolResult")) == [2, 5]


def test_type_and_role_must_both_fit() -> None:
    assert shown(TALK, types=("compaction",), roles=("user",)) == []


def test_the_text_must_match() -> None:
    assert shown(TALK, pattern=re.compile("pars[e]")) == [2, 5]
    assert shown(TALK, pattern=re.compile("(?i)WHERE")) == [2]
    assert shown(TALK, pattern=re.compile("brief")) == []


def at(number: int) -> int:
    ms = parse_ms(TALK.entries[number - 1].timestamp)
    assert ms is not None
    return ms


def test_the_bounds_of_time_belong_to_it() -> None:
    assert shown(TALK, since=at(3)) == [3, 5, 6, 7]
    assert shown(TALK, until=at(3)) == [2, 3]
    assert shown(TALK, since=at(3), until=at(5)) == [3, 5]


def test_an_entry_without_a_date_is_in_no_time() -> None:
    s = session().user("a").user("b")
    s.value("a")["timestamp"] = "yesterday"

    assert shown(s, until=at(7)) == [2]
    assert shown(s, since=0) == [2]
    assert shown(s) == [1, 2]


def test_what_is_older_than_1970_is_older_than_today() -> None:
    s = session().user("a")
    s.value("a")["timestamp"] = "1960-01-01T00:00:00Z"

    assert shown(s, until=at(1)) == [1]
    assert shown(s, since=0) == []


def test_roles_may_be_written_in_any_case() -> None:
    assert check_roles(["USER", "toolresult"]) == ("user", "toolResult")


def test_a_role_that_no_message_has_is_refused() -> None:
    with pytest.raises(UsageFault, match=r"no such role \(robot\)"):
        check_roles(["user", "robot"])
