"""The codec takes what `JSON.parse` takes, writes what `JSON.stringify` writes, and changes no byte it need not."""

import json
import math
import re
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import read_entry
from pisess_cli.core.format.entry_fields import field_bytes, with_fields
from pisess_cli.core.format.javascript import (
    UNDEFINED,
    BadLine,
    JsonObject,
    JsonValue,
    js_keys,
    js_number,
    utf16_length,
    utf16_order,
)

any_text = st.text(st.characters(exclude_categories=[]), max_size=8)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | any_text
keys = any_text | st.sampled_from(["id", "type", "parentId", "message", "role", "1", "01", "-1", "4294967295"])
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)
objects: st.SearchStrategy[JsonObject] = st.dictionaries(keys, values, max_size=5)
blank = st.sampled_from(["", " ", "\t", " \r "])


def spaced(value: Any, gaps: st.DataObject) -> str:
    """The value as JSON with white space here and there, and escapes that need not be."""
    gap = gaps.draw(blank)
    if isinstance(value, dict):
        inner = ",".join(f"{gap}{json.dumps(key)}{gap}:{spaced(item, gaps)}" for key, item in value.items())
        return f"{{{inner}{gap}}}"
    if isinstance(value, list):
        return f"[{','.join(spaced(item, gaps) for item in value)}{gap}]"
    return f"{gap}{json.dumps(value)}{gap}"


def parse(line: bytes) -> JsonValue:
    """What `JSON.parse` gives: Python's own parser, without what that takes beyond JSON."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    value: JsonValue = json.loads(line.decode("utf-8", "replace"), parse_constant=refuse)
    return value


def outcome(line: bytes) -> tuple[bool, JsonValue]:
    """Whether the line is taken, and its value."""
    try:
        return True, jsonl.decode(line)
    except BadLine:
        return False, None


@given(values)
def test_what_is_written_reads_as_the_same_value(value: Any) -> None:
    written = jsonl.stringify(value).encode()

    assert jsonl.stringify(jsonl.decode(written)) == jsonl.stringify(value)
    assert b"\n" not in written


@given(values)
def test_both_ways_to_write_give_the_same_value(value: Any) -> None:
    assert jsonl.stringify(jsonl.decode(jsonl.encode(value))) == jsonl.stringify(value)


wordy = st.recursive(
    any_text | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(wordy)
def test_text_is_escaped_only_where_it_must_be(value: Any) -> None:
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    assert jsonl.stringify(value) == re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", compact)


@given(numbers)
@example(1e21)
@example(1e-7)
@example(-0.0)
@example(5e-324)
@example(123456789012345680000)
def test_a_number_is_written_short_and_reads_as_the_same_double(number: float) -> None:
    written = js_number(number)
    double = float(number) if abs(number) < 2**1024 else math.inf
    if math.isinf(double):
        assert written == "null"
        return

    assert float(written) == double
    digits = re.sub(r"e.*|[-.]", "", written).strip("0")
    assert len(digits) <= len(re.sub(r"e.*|[-.]", "", repr(double)).strip("0"))
    # Without an exponent from a millionth up to 21 digits, and never with a point behind which only zeros stand.
    plain = double == 0 or 1e-6 <= abs(double) < 1e21
    assert bool(re.fullmatch(r"-?(0|[1-9]\d*)(\.\d*[1-9])?", written)) == plain
    assert bool(re.fullmatch(r"-?[1-9](\.\d*[1-9])?e[+-][1-9]\d*", written)) != plain


@given(objects)
def test_integer_like_keys_come_first_in_ascending_order(value: JsonObject) -> None:
    ordered = js_keys(value)
    numbered = [key for key in ordered if re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1]

    assert sorted(ordered) == sorted(value)
    assert ordered[: len(numbered)] == sorted(numbered, key=int)
    assert ordered[len(numbered) :] == [key for key in value if key not in numbered]


@st.composite
def nearly_json(draw: st.DrawFn) -> bytes:
    """The JSON of an object with a few bytes taken out, put in, or changed."""
    line = bytearray(spaced(draw(objects), draw(st.data())).encode())
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(line)))
        line[place : place + draw(st.integers(0, 2))] = draw(
            st.binary(max_size=2)
            | st.sampled_from([b'"', b"\\", b"\\u", b"e", b"-", b"0", b",", b"}", b"\xc2", b"NaN", b"]"])
        )
    return bytes(line).replace(b"\n", b" ")


@given(nearly_json())
@example(b'{"x":"\\ud800"}')
@example(b'{"x":1e400}')
@example(b'{"x":Infinity}')
@example(b'{"x":"\x1f"}')
@example(b'{"x":"\xed\xa0\x80"}')
def test_a_line_is_taken_where_json_parse_takes_it(line: bytes) -> None:
    try:
        parsed = parse(line)
    except ValueError:
        assert not outcome(line)[0]
        return

    taken, value = outcome(line)
    assert taken
    assert jsonl.stringify(value) == jsonl.stringify(parsed)


@given(nearly_json())
@example(b'{"message":{"role":"user","x":"\\q"}}')
@example(b'{"id":"a","id":"b"}')
@example(b'{"\\u0069d":"a"}')
@example(b'{"id":"\xff"}')
@example(b'{"type":"message","message":{"role":"user"},"message":null}')
def test_an_entry_is_read_where_its_line_is_taken_and_says_the_same(line: bytes) -> None:
    taken, value = outcome(line)
    try:
        entry = read_entry(line, 0, len(line))
    except BadLine:
        assert not taken
        return

    assert taken
    if entry is None:
        assert not value
        assert value not in ([], {})
    elif isinstance(value, dict):
        fields = (entry.type, entry.id, entry.parent_id, entry.timestamp, entry.target_id)
        wanted = [value.get(key, UNDEFINED) for key in ("type", "id", "parentId", "timestamp", "targetId")]
        message = value.get("message") if entry.type == "message" else None
        assert list(fields) == wanted
        assert entry.role == (message.get("role", UNDEFINED) if isinstance(message, dict) else UNDEFINED)
        assert entry.value == value


@given(
    st.integers(1, 3000),
    st.sampled_from(["[", '{"a":', '[[],{"b":']),
    st.sampled_from(["1", '"\\ud800"', "1e400", "nul"]),
)
def test_nesting_of_any_depth_is_read_and_written(depth: int, opening: str, innermost: str) -> None:
    closing = "".join({"[": "]", "{": "}"}[char] for char in reversed(re.sub(r"\[\]", "", opening)) if char in "[{")
    line = (opening * depth + innermost + closing * depth).encode()

    taken, value = outcome(line)

    assert taken == (innermost != "nul")
    if taken:
        assert jsonl.stringify(value) == line.decode().replace("1e400", "null")


# Fields.


@given(objects, st.data())
def test_a_field_set_to_what_it_is_changes_no_byte(value: JsonObject, data: st.DataObject) -> None:
    line = spaced(value, data).encode()

    for key in value:
        assert with_fields(line, {key: field_bytes(line, key)}) == line


@given(objects.filter(bool), st.data(), values)
def test_setting_a_field_leaves_every_other_byte(value: JsonObject, data: st.DataObject, new: Any) -> None:
    line = spaced(value, data).encode()
    key = data.draw(st.sampled_from(sorted(value)))
    old, written = field_bytes(line, key), jsonl.stringify(new).encode()
    assert old is not None

    changed = with_fields(line, {key: written})

    assert len(changed) - len(line) == len(written) - len(old)
    assert field_bytes(changed, key) == written
    assert with_fields(changed, {key: old}) == line


@given(objects, st.data())
def test_taking_fields_out_leaves_the_bytes_of_the_others(value: JsonObject, data: st.DataObject) -> None:
    line = spaced(value, data).encode()
    gone = data.draw(st.sets(st.sampled_from(sorted(value)))) if value else set()

    changed = with_fields(line, dict.fromkeys(gone))

    assert jsonl.stringify(jsonl.decode(changed)) == jsonl.stringify(
        {key: item for key, item in value.items() if key not in gone}
    )
    for key in value.keys() - gone:
        assert field_bytes(changed, key) == field_bytes(line, key)


@given(objects, any_text, values)
def test_a_field_that_is_not_there_is_added_behind_the_others(value: JsonObject, key: str, new: Any) -> None:
    value.pop(key, None)
    line = jsonl.stringify(value).encode()

    changed = with_fields(line, {key: jsonl.stringify(new).encode()})

    assert changed[: len(line) - 1] == line[:-1]
    assert jsonl.stringify(jsonl.decode(changed)) == jsonl.stringify({**value, key: new})


@given(st.one_of(scalars, st.lists(values)))
def test_what_is_no_object_has_no_fields(value: Any) -> None:
    try:
        with_fields(jsonl.stringify(value).encode(), {"a": b"1"})
    except BadLine:
        return
    raise AssertionError(value)


# Lines.


@given(st.binary())
def test_lines_end_at_newlines_alone(data: bytes) -> None:
    lines = [data[start:end] for start, end in jsonl.line_spans(data)]

    assert b"\n".join(lines) == data.removesuffix(b"\n")
    assert len(lines) == data.count(b"\n") + bool(data and not data.endswith(b"\n"))


@given(any_text, any_text)
def test_lengths_and_order_are_those_of_utf_16(one: str, other: str) -> None:
    def units(text: str) -> list[int]:
        encoded = text.encode("utf-16-be", "surrogatepass")
        return [encoded[at] << 8 | encoded[at + 1] for at in range(0, len(encoded), 2)]

    assert utf16_length(one) == len(units(one))
    assert (utf16_order(one) < utf16_order(other)) == (units(one) < units(other))
