from itertools import islice

import pytest

from pisess_cli.core.format.entries import BOOKKEEPING_TYPES, ENTRY_TYPES, Entry, Header, is_header, map_key, read_entry
from pisess_cli.core.format.ids import derived_ids, new_id
from pisess_cli.core.format.javascript import UNDEFINED, BadLine, JsonObject, Maybe
from pisess_cli.core.format.new_entries import build_entry, build_header, line_of


def read(line: bytes) -> Entry:
    entry = read_entry(line, 0, len(line))
    assert entry is not None
    return entry


# Reading.


def test_an_entry_knows_its_envelope() -> None:
    entry = read(b'{"type":"message","id":"a","parentId":"b","timestamp":"t","targetId":"c","message":{"role":"user"}}')

    assert (entry.type, entry.id, entry.parent_id, entry.timestamp) == ("message", "a", "b", "t")
    assert (entry.target_id, entry.role) == ("c", "user")


def test_a_field_that_is_not_there_is_undefined_and_one_that_is_null_is_none() -> None:
    entry = read(b'{"id":null}')

    assert entry.id is None
    assert entry.parent_id is UNDEFINED
    assert entry.type is UNDEFINED


def test_only_a_message_entry_has_a_role() -> None:
    assert read(b'{"type":"custom","message":{"role":"user"}}').role is UNDEFINED
    assert read(b'{"type":"message"}').role is UNDEFINED


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        (b'{"id":5}', "id", 5),
        (b'{"parentId":["a"]}', "parent_id", ["a"]),
        (b'{"type":{}}', "type", {}),
        (b'{"type":"message","message":{"role":7}}', "role", 7),
        (b'{"type":"message","message":"hi"}', "role", UNDEFINED),
        (b'{"type":"message","message":{"role":"user"},"message":null}', "role", UNDEFINED),
        (b'{"id":"\\ud800"}', "id", "\ud800"),
        (b'{"id":"\xff"}', "id", "\ufffd"),
        (b'{"\\u0069d":"a"}', "id", "a"),
        (b'{"id":"a","id":"b"}', "id", "b"),
    ],
)
def test_whatever_json_stands_in_a_field_is_what_the_entry_says(line: bytes, field: str, value: object) -> None:
    assert getattr(read(line), field) == value


@pytest.mark.parametrize("line", [b"null", b"0", b"false", b'""', b"-0.0"])
def test_a_falsy_value_is_no_entry(line: bytes) -> None:
    assert read_entry(line, 0, len(line)) is None


@pytest.mark.parametrize("line", [b"5", b'"x"', b"[]", b"[1]", b"true"])
def test_another_value_is_an_entry_that_says_nothing(line: bytes) -> None:
    entry = read(line)

    assert entry.id is UNDEFINED
    assert entry.value == {}
    assert entry.raw == line


@pytest.mark.parametrize("line", [b"", b"{", b"NaN", b'{"x":"\\q"}', b'{"message":{"role":tru}}'])
def test_a_line_that_is_no_json_is_a_bad_line(line: bytes) -> None:
    with pytest.raises(BadLine):
        read_entry(line, 0, len(line))


def test_an_entry_is_a_part_of_what_it_was_read_from() -> None:
    entry = read_entry(b'xx{"id":"a"}yy', 2, 12)

    assert entry is not None
    assert entry.raw == b'{"id":"a"}'
    assert entry.size == 10


def test_an_entry_that_is_no_message_has_an_empty_one() -> None:
    assert read(b'{"type":"message","message":[]}').message == {}
    assert read(b'{"type":"message","message":{"role":"user"}}').message == {"role": "user"}


# What counts as history.


@pytest.mark.parametrize("type_", ["custom_message", "compaction", "branch_summary", "context_edit", "from_the_future"])
def test_what_was_said_and_done_is_history(type_: str) -> None:
    assert Entry.from_value({"type": type_}).is_history


@pytest.mark.parametrize("type_", sorted(BOOKKEEPING_TYPES))
def test_settings_and_notes_are_bookkeeping(type_: str) -> None:
    assert not Entry.from_value({"type": type_}).is_history


def test_messages_are_history_but_for_system_ones() -> None:
    assert Entry.from_value({"type": "message", "message": {"role": "user"}}).is_history
    assert Entry.from_value({"type": "message"}).is_history
    assert not Entry.from_value({"type": "message", "message": {"role": "system"}}).is_history


def test_what_has_no_type_is_no_history() -> None:
    assert not Entry.from_value({"id": "a"}).is_history
    assert not Entry.from_value({"type": 5}).is_history


# Headers.


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"type":"session","id":"a"}', True),
        (b'{"type":"session","id":""}', True),
        (b'{"type":"session","id":5}', False),
        (b'{"type":"session"}', False),
        (b'{"type":"message","id":"a"}', False),
    ],
)
def test_a_header_has_the_type_session_and_a_text_as_id(line: bytes, expected: bool) -> None:
    assert is_header(read(line)) == expected


@pytest.mark.parametrize(
    ("version", "is_old"),
    [
        (b"", True),
        (b',"version":null', True),
        (b',"version":1', True),
        (b',"version":"2"', True),
        (b',"version":2.5', True),
        (b',"version":3', False),
        (b',"version":9', False),
        (b',"version":"new"', False),
        (b',"version":{}', False),
    ],
)
def test_what_is_below_3_or_says_nothing_is_old(version: bytes, is_old: bool) -> None:
    assert Header(read(b'{"type":"session","id":"a"' + version + b"}")).is_old == is_old


def test_a_cwd_that_is_no_text_is_none() -> None:
    assert Header(read(b'{"type":"session","id":"a","cwd":["/x"]}')).cwd is None
    assert Header(read(b'{"type":"session","id":"a","cwd":"/x"}')).cwd == "/x"


# Ids.


def test_ids_are_the_same_key_where_a_map_of_javascript_takes_them_for_the_same() -> None:
    assert map_key(1) == map_key(1.0)
    assert map_key("a") == map_key("a")
    assert map_key(0) == map_key(-0.0)


def test_ids_of_other_kinds_are_other_keys() -> None:
    empty: list[Maybe] = [1, True, "1", None, UNDEFINED, "", False, 0]

    assert len({map_key(value) for value in empty}) == len(empty)


def test_two_objects_are_two_keys_however_alike() -> None:
    one, other = ["a"], ["a"]

    assert map_key(one) != map_key(other)
    assert map_key(one) == map_key(one)


def test_a_new_id_is_8_hex_digits_that_nobody_has() -> None:
    refused: list[str] = []

    def is_taken(candidate: str) -> bool:
        refused.append(candidate)
        return len(refused) < 3

    made = new_id(is_taken)

    assert made == refused[-1]
    assert len(refused) == 3
    assert len(made) == 8
    int(made, 16)


def test_where_all_short_ids_are_taken_a_new_one_is_longer() -> None:
    assert len(new_id(lambda candidate: len(candidate) == 8)) == 36


def test_derived_ids_depend_on_their_seed_alone() -> None:
    assert list(islice(derived_ids("a"), 5)) == list(islice(derived_ids("a"), 5))
    assert not set(islice(derived_ids("a"), 5)) & set(islice(derived_ids("b"), 5))
    assert all(len(made) == 8 for made in islice(derived_ids("\ud800"), 5))


# Building.


def built(type_: str, **fields: Maybe) -> JsonObject:
    return build_entry(type_, fields, entry_id="me", parent_id="above", timestamp="now")


@pytest.mark.parametrize(
    ("type_", "fields", "keys"),
    [
        ("message", ["message"], "type id parentId timestamp message"),
        ("label", ["targetId", "label"], "type id parentId timestamp targetId label"),
        ("custom", ["customType", "data"], "type customType data id parentId timestamp"),
        (
            "custom_message",
            ["customType", "content", "display", "details"],
            "type customType content display details id parentId timestamp",
        ),
        (
            "compaction",
            ["summary", "firstKeptEntryId", "tokensBefore", "details", "usage", "fromHook", "systemMessage"],
            "type id parentId timestamp summary firstKeptEntryId tokensBefore details usage fromHook systemMessage",
        ),
        (
            "branch_summary",
            ["fromId", "summary", "details", "usage", "fromHook"],
            "type id parentId timestamp fromId summary details usage fromHook",
        ),
    ],
)
def test_the_fields_of_an_entry_stand_in_pis_order(type_: str, fields: list[str], keys: str) -> None:
    assert list(built(type_, **dict.fromkeys(fields, "x"))) == keys.split()


def test_undefined_fields_are_left_out_and_null_ones_are_written() -> None:
    assert "label" not in built("label", targetId="a", label=UNDEFINED)
    assert built("custom", customType="a", data=None)["data"] is None


@pytest.mark.parametrize("nothing", [None, UNDEFINED])
def test_a_compaction_that_keeps_nothing_names_itself(nothing: Maybe) -> None:
    assert built("compaction", summary="s", firstKeptEntryId=nothing)["firstKeptEntryId"] == "me"
    assert built("compaction", summary="s", firstKeptEntryId="")["firstKeptEntryId"] == ""


def test_a_header_has_a_parent_session_only_if_there_is_one() -> None:
    assert list(build_header("a", "t", "/x")) == ["type", "version", "id", "timestamp", "cwd"]
    assert list(build_header("a", "t", "/x", "/p"))[-1] == "parentSession"


def test_a_line_is_compact_and_ends_with_a_newline() -> None:
    assert line_of({"type": "é", "n": 1.0}) == '{"type":"é","n":1}\n'.encode()


def test_all_eleven_types_are_known() -> None:
    assert len(ENTRY_TYPES) == len(set(ENTRY_TYPES)) == 11
    assert set(ENTRY_TYPES) >= BOOKKEEPING_TYPES
