import json
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, session, talk, tokens_used
from pisess_cli.core.changes.given_entry import append_given, parse_field, parse_object, target_fields, text_fields
from pisess_cli.core.errors import NotFound, PisessError, Refused, UsageFault
from pisess_cli.core.format.entries import ENTRY_TYPES
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.revisions import Point

USAGE = tokens_used(5)
WORKS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("message", {"message": {"role": "user", "content": "hi"}}, {}),
    ("message", {"message": {"role": "from the future"}}, {}),
    ("custom_message", {"customType": "x", "content": "hi"}, {"display": True}),
    ("custom_message", {"customType": "x", "content": [], "display": False, "details": None}, {}),
    ("custom", {"customType": "x"}, {}),
    ("custom", {"customType": "x", "data": None}, {}),
    ("custom", {"customType": "x", "data": {"a": [1]}}, {}),
    ("branch_summary", {"fromId": "gone", "summary": "s", "details": {}, "usage": USAGE, "fromHook": True}, {}),
    ("model_change", {"provider": "p", "modelId": "m"}, {}),
    ("thinking_level_change", {"thinkingLevel": "high"}, {}),
    ("session_info", {"name": "n"}, {}),
    ("usage", {"kind": "k", "provider": "p", "model": "m", "usage": USAGE, "note": "n"}, {}),
    ("usage", {"kind": "k", "provider": "p", "model": "m", "usage": USAGE}, {}),
]
"""Types, what is given, and what is added to that."""


def append(builder: SessionBuilder, tmp_path: Path, type_: str, given: dict[str, Any], at: str | None = "LEAF") -> Any:
    """The entry that is written, at the entry that says `at`, or as a root."""
    path = builder.write(tmp_path)
    with Appender(path) as appender:
        point = (
            None
            if at == "LEAF"
            else Point(appender.session, None if at is None else appender.session.get(builder.id(at)))
        )
        append_given(appender, type_, given, point)
    return json.loads(path.read_bytes().splitlines()[-1])


def own_fields(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in ("type", "id", "parentId", "timestamp")}


# What is written.


@pytest.mark.parametrize(("type_", "given", "added"), WORKS)
def test_what_is_given_is_written_below_the_leaf(
    tmp_path: Path, type_: str, given: dict[str, Any], added: dict[str, Any]
) -> None:
    entry = append(talk(), tmp_path, type_, given)

    assert entry["type"] == type_
    assert entry["parentId"] == talk().id("Renamed.")
    assert own_fields(entry) == given | added


@pytest.mark.parametrize(("type_", "given", "added"), WORKS)
def test_the_order_in_which_it_is_given_does_not_matter(
    tmp_path: Path, type_: str, given: dict[str, Any], added: dict[str, Any]
) -> None:
    backwards = dict(reversed(given.items()))

    assert list(append(talk(), tmp_path, type_, given)) == list(append(talk(), tmp_path, type_, backwards))


def test_every_type_can_be_appended(tmp_path: Path) -> None:
    s = talk()
    others: list[tuple[str, dict[str, Any]]] = [
        ("compaction", {"summary": "s"}),
        ("context_edit", {"targetId": s.id("Renamed."), "replacement": None}),
        ("label", {"targetId": s.id("Renamed."), "label": "here"}),
    ]
    given = {type_: fields for type_, fields, _ in WORKS} | dict(others)

    assert set(given) == set(ENTRY_TYPES)
    assert [append(s, tmp_path, type_, given[type_])["type"] for type_ in ENTRY_TYPES] == list(ENTRY_TYPES)


def test_it_can_be_written_elsewhere_or_as_a_root(tmp_path: Path) -> None:
    s = talk()

    assert append(s, tmp_path, "custom", {"customType": "x"}, at="Rewrite it.")["parentId"] == s.id("Rewrite it.")
    assert append(s, tmp_path, "custom", {"customType": "x"}, at=None)["parentId"] is None


def test_an_entry_without_an_id_cannot_be_a_parent(tmp_path: Path) -> None:
    path = session().user("hi").entry("custom", id=...).write(tmp_path)
    with Appender(path) as appender, pytest.raises(Refused):
        append_given(appender, "custom", {"customType": "x"}, Point(appender.session, appender.session.leaf))


# What Pi would know by itself.


def test_a_compaction_gets_its_tokens_and_the_system_message_that_it_replays(tmp_path: Path) -> None:
    entry = append(talk(), tmp_path, "compaction", {"summary": "s", "firstKeptEntryId": "gone"})

    assert (entry["firstKeptEntryId"], entry["tokensBefore"], entry["fromHook"]) == ("gone", 1500, False)
    assert entry["systemMessage"]["content"] == "Be brief."


@pytest.mark.parametrize("given", [{}, {"firstKeptEntryId": None}])
def test_a_compaction_that_names_no_first_entry_keeps_none(tmp_path: Path, given: dict[str, Any]) -> None:
    entry = append(talk(), tmp_path, "compaction", {"summary": "s", **given})

    assert entry["firstKeptEntryId"] == entry["id"]


def test_tokens_that_are_given_count(tmp_path: Path) -> None:
    assert append(talk(), tmp_path, "compaction", {"summary": "s", "tokensBefore": 7})["tokensBefore"] == 7


def test_what_a_compaction_replays_is_that_of_the_place_where_it_is_written(tmp_path: Path) -> None:
    assert "systemMessage" not in append(talk(), tmp_path, "compaction", {"summary": "s"}, at=None)


def test_a_branch_summary_names_the_leaf_that_is_left(tmp_path: Path) -> None:
    s = talk()

    entry = append(s, tmp_path, "branch_summary", {"summary": "s"}, at="Rewrite it.")

    assert (entry["fromId"], entry["parentId"]) == (s.id("Renamed."), s.id("Rewrite it."))
    assert append(session(), tmp_path, "branch_summary", {"summary": "s"})["fromId"] == "root"


# What is refused.

NOT_FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("message", {}),
    ("message", {"message": "hi"}),
    ("message", {"role": "user", "content": "hi"}),
    ("custom", {}),
    ("custom", {"customType": 5}),
    ("custom", {"customType": "x", "id": "abcd"}),
    ("custom", {"customType": "x", "parentId": None}),
    ("custom", {"customType": "x", "dta": 1}),
    ("custom_message", {"customType": "x", "content": None}),
    ("custom_message", {"customType": "x", "content": "", "display": 1}),
    ("compaction", {"summary": "s", "tokensBefore": "7"}),
    ("compaction", {"summary": "s", "systemMessage": {}}),
    ("branch_summary", {"summary": None}),
    ("model_change", {"provider": "p"}),
    ("thinking_level_change", {"thinkingLevel": None}),
    ("context_edit", {"targetId": "0001beef"}),
    ("label", {"targetId": "0001beef", "label": None}),
    ("session_info", {}),
    ("usage", {"kind": "k", "provider": "p", "model": "m", "usage": 5}),
]
REFUSED: list[tuple[str, dict[str, Any], type[PisessError]]] = [
    ("message", {"message": {"content": "hi"}}, Refused),
    ("message", {"message": {"role": "compactionSummary", "summary": "s"}}, Refused),
    ("label", {"targetId": "gone", "label": "here"}, NotFound),
    ("context_edit", {"targetId": "gone", "replacement": None}, NotFound),
    ("context_edit", {"targetId": "0001beef", "replacement": None}, Refused),
    ("context_edit", {"targetId": "0007beef", "replacement": {"content": 5}}, Refused),
    ("context_edit", {"targetId": "000abeef", "replacement": None}, Refused),
]


@pytest.mark.parametrize(("type_", "given"), NOT_FIELDS)
def test_fields_that_an_entry_of_the_type_cannot_have_are_a_wrong_usage(
    tmp_path: Path, type_: str, given: dict[str, Any]
) -> None:
    with pytest.raises(UsageFault) as caught:
        append(talk(), tmp_path, type_, given)

    assert f"({type_})" in caught.value.message
    assert (tmp_path / "session.jsonl").read_bytes() == talk().data


@pytest.mark.parametrize(("type_", "given", "error"), REFUSED)
def test_what_pi_refuses_is_refused(
    tmp_path: Path, type_: str, given: dict[str, Any], error: type[PisessError]
) -> None:
    with pytest.raises(error):
        append(talk(), tmp_path, type_, given)

    assert (tmp_path / "session.jsonl").read_bytes() == talk().data


def test_an_edit_is_of_the_path_that_it_is_written_on(tmp_path: Path) -> None:
    s = talk()
    given = {"targetId": s.id("Done, but slow."), "replacement": None}

    assert append(s, tmp_path, "context_edit", given, at="Done, but slow.")["targetId"] == given["targetId"]


# From words to fields.


@pytest.mark.parametrize(
    ("type_", "fields"),
    [
        ("custom_message", {"content": "words"}),
        ("compaction", {"summary": "words"}),
        ("branch_summary", {"summary": "words"}),
        ("label", {"label": "words"}),
        ("session_info", {"name": "words"}),
        ("usage", {"note": "words"}),
        ("context_edit", {"replacement": {"content": "words"}}),
    ],
)
def test_a_text_alone_is_the_field_that_says_something(type_: str, fields: dict[str, Any]) -> None:
    assert text_fields(type_, "words", None) == fields


def test_a_text_is_a_message_of_the_user_or_of_the_system() -> None:
    def message(role: str | None) -> Any:
        made: Any = text_fields("message", "words", role)["message"]
        assert made.pop("timestamp") > 0
        return made

    assert message(None) == message("user") == {"role": "user", "content": [{"type": "text", "text": "words"}]}
    assert message("system") == {"role": "system", "content": "words"}


@pytest.mark.parametrize(("type_", "role"), [("message", "assistant"), ("message", "toolResult"), ("custom", None)])
def test_a_text_alone_is_not_enough_for_all(type_: str, role: str | None) -> None:
    with pytest.raises(UsageFault):
        text_fields(type_, "words", role)


def test_a_target_is_the_field_that_names_another_entry() -> None:
    [target] = session().user("hi").entries

    fields = {
        type_: target_fields(type_, target) for type_ in ("label", "context_edit", "compaction", "branch_summary")
    }

    assert fields == {
        "label": {"targetId": target.id},
        "context_edit": {"targetId": target.id},
        "compaction": {"firstKeptEntryId": target.id},
        "branch_summary": {"fromId": target.id},
    }
    with pytest.raises(UsageFault):
        target_fields("custom", target)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("name=a=b", ("name", "a=b")),
        ("name=", ("name", "")),
        ("name=5", ("name", "5")),
        ("data:=5", ("data", 5)),
        ('data:={"a":[1,null]}', ("data", {"a": [1, None]})),
        ("a:b=c", ("a:b", "c")),
    ],
)
def test_a_field_is_a_text_or_json(text: str, field: tuple[str, object]) -> None:
    assert parse_field(text) == field


@pytest.mark.parametrize("text", ["", "name", "=x", ":=5", "data:=", "data:=NaN", "data:={"])
def test_what_is_no_field_is_a_wrong_usage(text: str) -> None:
    with pytest.raises(UsageFault):
        parse_field(text)


@pytest.mark.parametrize("text", ["", "[]", "5", '{"a":1} x', "{'a':1}"])
def test_what_is_no_object_is_a_wrong_usage(text: str) -> None:
    with pytest.raises(UsageFault, match="file"):
        parse_object(text, "file")


def test_what_is_nested_a_hundred_thousand_times_is_written(tmp_path: Path) -> None:
    given = parse_object(f'{{"customType":"x","data":{"[" * 100_000}{"]" * 100_000}}}', "-")
    path = session().user("hi").write(tmp_path)

    with Appender(path) as appender:
        append_given(appender, "custom", given)

    assert f'"data":{"[" * 100_000}{"]" * 100_000},'.encode() in path.read_bytes()
