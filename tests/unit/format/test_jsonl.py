import pytest

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entry_fields import field_bytes, with_fields
from pisess_cli.core.format.javascript import BadLine, js_number, js_trim, utf16_length, utf16_order
from pisess_cli.core.format.jsonl import stringify

# What `JSON.parse` takes.


@pytest.mark.parametrize(
    "line",
    [
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"1e",
        b'"\t"',
        b'"\x1f"',
        b'"\\x"',
        b'"\\u12"',
        b"'a'",
        b"[1,]",
        b'{"a":1,}',
        b"{a:1}",
        b"nul",
        b'{"a":1}x',
        b"\xef\xbb\xbf1",
        "\u00a01".encode(),
        "1\u2028".encode(),
        b"\x0b1",
        b"\x00",
        b"",
    ],
)
def test_what_javascript_rejects_is_a_bad_line(line: bytes) -> None:
    with pytest.raises(BadLine):
        jsonl.decode(line)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b" \r\t1 ", 1),
        (b'"\\ud800"', "\ud800"),
        (b'"\\udc00x"', "\udc00x"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        ('"\u2028\u0085\u007f"'.encode(), "\u2028\u0085\u007f"),
        (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
        (b"12345678901234567890", 12345678901234567890),
        (b'"\xff\xc3"', "\ufffd\ufffd"),
        (b'{"\xff":1}', {"\ufffd": 1}),
    ],
)
def test_what_javascript_takes_is_taken(line: bytes, value: object) -> None:
    assert jsonl.decode(line) == value


def test_of_duplicate_keys_the_last_wins_at_the_place_of_the_first() -> None:
    assert stringify(jsonl.decode(b'{"a":1,"b":2,"a":3}')) == '{"a":3,"b":2}'


@pytest.mark.parametrize("depth", [900, 100_000])
def test_nesting_deeper_than_the_stack_is_read(depth: int) -> None:
    line = b'{"a":' * depth + b"[]" + b"}" * depth

    assert stringify(jsonl.decode(line)).encode() == line


def test_a_fault_far_down_makes_the_line_bad() -> None:
    with pytest.raises(BadLine):
        jsonl.decode(b"[" * 100_000 + b"}" * 100_000)
    with pytest.raises(BadLine):
        jsonl.decode(b"[" * 100_000)


def test_an_integer_of_thousands_of_digits_is_a_number() -> None:
    assert stringify(jsonl.decode(b"-" + b"9" * 5000)) == "null"


# What `JSON.stringify` writes.


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (4.35, "4.35"),
        (0.30000000000000004, "0.30000000000000004"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-1.5e-10, "-1.5e-10"),
        (5e-324, "5e-324"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (999999999999999900000.0, "999999999999999900000"),
        (9007199254740993, "9007199254740992"),
        (12345678901234567890, "12345678901234567000"),
        (10**400, "null"),
        (float("inf"), "null"),
        (float("nan"), "null"),
    ],
)
def test_numbers_are_written_as_javascript_prints_them(number: float, written: str) -> None:
    assert js_number(number) == written


def test_keys_like_array_indices_come_first() -> None:
    value = jsonl.decode(b'{"01":1,"1":2,"-1":3,"4294967294":4,"4294967295":5,"0":6}')

    assert stringify(value) == '{"0":6,"1":2,"4294967294":4,"01":1,"-1":3,"4294967295":5}'


def test_a_key_of_thousands_of_digits_is_a_key_like_any_other() -> None:
    assert stringify({"9" * 5000: 1, "2": 2}) == '{"2":2,"' + "9" * 5000 + '":1}'


def test_only_what_must_be_is_escaped() -> None:
    assert stringify('\x00\x1f\b\f\n\r\t"\\/\x7fé\u2028') == '"\\u0000\\u001f\\b\\f\\n\\r\\t\\"\\\\/\x7fé\u2028"'


def test_a_lone_surrogate_is_escaped_in_lower_case() -> None:
    assert stringify(["\ud800", "\udfff"]) == '["\\ud800","\\udfff"]'


def test_a_text_that_looks_like_json_stays_a_text() -> None:
    assert stringify(["[1]", {'"': ","}]) == '["[1]",{"\\"":","}]'


def test_encode_takes_what_msgspec_cannot_write() -> None:
    assert jsonl.encode({"a": ["\ud800", 1e300]}) == b'{"a":["\\ud800",1e+300]}'


# Lines.


def spans(data: bytes) -> list[bytes]:
    return [data[start:end] for start, end in jsonl.line_spans(data)]


def test_a_line_ends_at_a_newline_and_at_nothing_else() -> None:
    assert spans("a\u2028b\u0085c\rd\x0be\r\nf".encode()) == ["a\u2028b\u0085c\rd\x0be\r".encode(), b"f"]


def test_a_newline_at_the_end_begins_no_line() -> None:
    assert spans(b"a\n") == [b"a"]
    assert spans(b"a\n\n") == [b"a", b""]
    assert spans(b"") == []


def test_lines_can_be_taken_from_the_middle_on() -> None:
    assert [span[0] for span in jsonl.line_spans(b"ab\ncd\nef", 3)] == [3, 6]


def test_a_line_is_blank_if_trim_leaves_nothing() -> None:
    assert jsonl.is_blank("\u00a0\ufeff\u2028 \t\r\v".encode())
    assert not jsonl.is_blank("\u0085".encode())
    assert not jsonl.is_blank(b"\x00")
    assert not jsonl.is_blank(b"\xff")


def test_trim_is_that_of_javascript() -> None:
    assert js_trim("\ufeff\u2003 a \u3000\n") == "a"
    assert js_trim("\u0085\x1ca\u0085") == "\u0085\x1ca\u0085"


# Fields of a line.


def test_a_changed_field_leaves_every_other_byte() -> None:
    line = b' { "n" : 1.0, "id":"a" ,"big":12345678901234567890,"e":"\\u0041\\/" } '

    assert with_fields(line, {"id": b'"b"'}) == line.replace(b'"id":"a"', b'"id":"b"')


def test_only_fields_at_the_top_are_changed() -> None:
    line = b'{"a":{"id":1},"b":[{"id":2}],"c":"\\"id\\":3","id":4}'

    assert with_fields(line, {"id": b"5"}) == line.replace(b'"id":4', b'"id":5')


def test_a_key_that_is_written_with_escapes_is_known() -> None:
    assert with_fields(b'{"\\u0069d":1}', {"id": b"2"}) == b'{"\\u0069d":2}'


def test_every_duplicate_of_a_field_is_changed() -> None:
    assert with_fields(b'{"id":1,"id":2}', {"id": b"3"}) == b'{"id":3,"id":3}'


def test_of_duplicates_the_last_is_the_fields_value() -> None:
    assert field_bytes(b'{"id":1,"id": 2.0 }', "id") == b"2.0"
    assert field_bytes(b'{"id":1}', "other") is None


def test_a_new_field_comes_last() -> None:
    assert with_fields(b'{"a":1 }', {"b": b"2", "c": b"3"}) == b'{"a":1 ,"b":2,"c":3}'
    assert with_fields(b"{}", {"b": b"2"}) == b'{"b":2}'


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (b'{"x":1,"a":2}', b'{"a":2}'),
        (b'{"a":2,"x":1}', b'{"a":2}'),
        (b'{"a":2 , "x" : [1,{"x":3}] }', b'{"a":2  }'),
        (b'{ "x":1 }', b"{ }"),
        (b'{"x":1,"a":2,"x":3}', b'{"a":2}'),
        (b'{"a":2}', b'{"a":2}'),
    ],
)
def test_a_field_is_taken_out_with_its_comma(line: bytes, left: bytes) -> None:
    assert jsonl.stringify(jsonl.decode(with_fields(line, {"x": None}))) == jsonl.stringify(jsonl.decode(left))
    assert with_fields(line, {"x": None}).replace(b" ", b"") == left.replace(b" ", b"")


def test_the_last_field_can_make_way_for_a_new_one() -> None:
    assert with_fields(b'{"a":1,"x":2}', {"x": None, "y": b"3"}) == b'{"a":1,"y":3}'
    assert with_fields(b'{"x":2}', {"x": None, "y": b"3"}) == b'{"y":3}'


@pytest.mark.parametrize("line", [b"[1]", b"5", b'"a"', b"null", b'["a"]', b'[{"a":1}]', b""])
def test_what_is_no_object_has_no_fields(line: bytes) -> None:
    with pytest.raises(BadLine):
        with_fields(line, {"a": b"1"})


# UTF-16.


def test_a_character_beyond_the_first_plane_counts_twice() -> None:
    assert utf16_length("a\U0001f600é") == 4
    assert utf16_length("\ud83d") == 1


def test_the_order_is_that_of_code_units() -> None:
    assert sorted(["\ufb00", "\U0001f600", "a"], key=utf16_order) == ["a", "\U0001f600", "\ufb00"]
