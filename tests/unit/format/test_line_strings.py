"""Where strings and containers stand in a line, and what comes of a line in which some are replaced."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pisess_cli.core.format.line_strings import spans, spliced, string_at, string_bytes, strings

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def all_strings(value: Any) -> list[str]:
    """The strings of a value, keys too, in their order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in all_strings(item)]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *all_strings(item))]
    return []


def spelled(value: Any, seed: int) -> bytes:
    """The value as JSON in one of the ways that there are to write it."""
    ascii_only, spaced = random.Random(seed).choices([True, False], k=2)
    return json.dumps(value, ensure_ascii=ascii_only, indent=1 if spaced else None).replace("\n", " ").encode()


@given(VALUES, st.integers(0, 9))
def test_all_strings_are_found_in_their_order(value: Any, seed: int) -> None:
    line = spelled(value, seed)

    assert [text for text, _ in strings(line)] == all_strings(value)
    assert [string_at(line, text.start, text.end) for text in spans(line).texts] == all_strings(value)


@given(VALUES, st.integers(0, 9))
def test_containers_are_whole_and_lie_in_each_other(value: Any, seed: int) -> None:
    line = spelled(value, seed)

    for container in spans(line).containers:
        json.loads(line[container.start : container.end])
        if container.outer >= 0:
            around = spans(line).containers[container.outer]
            assert around.start < container.start
            assert container.end < around.end


def test_a_string_knows_its_key_and_what_it_is_in() -> None:
    line = b'{"a":["x",{"b":"y"}],"c":"z"}'

    found = spans(line)

    assert [(string_at(line, *text[:2]), text.key, text.container) for text in found.texts if not text.is_key] == [
        ("x", None, 1),
        ("y", "b", 2),
        ("z", "c", 0),
    ]
    assert [(container.key, container.outer) for container in found.containers] == [(None, -1), ("a", 0), (None, 1)]


def test_strings_come_with_the_key_before_them() -> None:
    assert list(strings(b'{"a" : "x","b":{"c":"y"}}')) == [
        ("a", None),
        ("x", "a"),
        ("b", None),
        ("c", None),
        ("y", "c"),
    ]


def test_what_stands_behind_a_key_that_comes_again_is_seen() -> None:
    assert ("first", "a") in list(strings(b'{"a":"first","a":"second"}'))


@pytest.mark.parametrize("text", ["", "é", '"\\\n\t\x00', "\ud800", "\U0001f600"])
def test_a_string_comes_back(text: str) -> None:
    line = string_bytes(text)

    assert string_at(line, 0, len(line)) == text


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert [text for text, _ in strings(b'["\xff\\n"]')] == ["\ufffd\n"]


def test_the_rest_of_a_line_keeps_its_bytes() -> None:
    assert spliced(b"0123456789", [(5, 7, b"new"), (1, 2, b"")]) == b"0234new789"


def test_an_edit_within_another_one_is_void() -> None:
    assert spliced(b"0123456789", [(3, 5, b"inner"), (2, 8, b"outer"), (2, 3, b"inner")]) == b"01outer89"


def test_a_line_of_a_hundred_thousand_brackets_is_read() -> None:
    depth = 100_000

    assert len(spans(b"[" * depth + b'"x"' + b"]" * depth).containers) == depth
