import json
from pathlib import Path
from typing import Any

import pytest

from builder import talk
from running import Pisess, only_appended, unchanged


@pytest.fixture
def file(pisess: Pisess) -> Path:
    return pisess.use(talk())


def last(file: Path) -> Any:
    return json.loads(file.read_bytes().splitlines()[-1])


def test_a_text_becomes_a_message_and_its_id_is_printed(pisess: Pisess, file: Path) -> None:
    with only_appended(file):
        printed = pisess.ok("append", "message", "-m", "And the tests?").line

    assert last(file)["id"] == printed
    assert last(file)["parentId"] == talk().id("Renamed.")
    assert last(file)["message"]["content"] == [{"type": "text", "text": "And the tests?"}]


def test_the_role_can_be_named(pisess: Pisess, file: Path) -> None:
    pisess.ok("append", "message", "--role", "system", "-m", "Be kind.")

    assert last(file)["message"]["role"] == "system"


def test_custom_type_and_data_have_options(pisess: Pisess, file: Path) -> None:
    pisess.ok("append", "custom", "--custom-type", "my-tool", "--data", '{"a":[1,null]}')

    assert (last(file)["customType"], last(file)["data"]) == ("my-tool", {"a": [1, None]})


def test_any_field_is_text_or_json(pisess: Pisess, file: Path) -> None:
    pisess.ok("append", "model_change", "--field", "provider=acme", "--field", 'modelId:="two"')

    assert (last(file)["provider"], last(file)["modelId"]) == ("acme", "two")


def test_fields_are_read_from_stdin_and_options_count_before_them(pisess: Pisess, file: Path) -> None:
    given = b'{"customType": "my-tool", "content": "from stdin", "details": {"n": 1}}'

    pisess.ok("append", "custom_message", "-F", "-", "-m", "from an option", stdin=given)

    assert (last(file)["content"], last(file)["details"]) == ("from an option", {"n": 1})


def test_fields_are_read_from_a_file(pisess: Pisess, file: Path) -> None:
    given = pisess.home / "given.json"
    given.write_text('{"thinkingLevel": "high"}')

    pisess.ok("append", "thinking_level_change", "-F", given)

    assert last(file)["thinkingLevel"] == "high"


def test_the_target_is_a_revision(pisess: Pisess, file: Path) -> None:
    pisess.ok("append", "label", "--target", "HEAD^{user}", "-m", "asked")

    assert (last(file)["targetId"], last(file)["label"]) == (talk().id("Only rename it."), "asked")


def test_the_parent_is_a_revision_or_the_root(pisess: Pisess, file: Path) -> None:
    pisess.ok("append", "custom", "--custom-type", "x", "--parent", "found")
    assert last(file)["parentId"] == talk().id("In src/parser.py.")

    pisess.ok("append", "custom", "--custom-type", "x", "--parent", "ROOT")
    assert last(file)["parentId"] is None


def test_what_is_appended_is_the_leaf(pisess: Pisess, file: Path) -> None:
    made = pisess.ok("append", "message", "-m", "Elsewhere.", "--parent", "found").line

    assert pisess.ok("log", "--format", "%H", "-n", "1").line == made


def test_an_old_file_is_migrated(pisess: Pisess) -> None:
    file = pisess.use(talk().version(2))

    pisess.ok("append", "session_info", "-m", "parser")

    assert json.loads(file.read_bytes().splitlines()[0])["version"] == 3
    assert last(file)["name"] == "parser"


INSIDE = [
    (("custom", "--custom-type", "x"), False),
    (("message", "-m", "hi"), False),
    (("compaction", "-m", "s"), False),
    (("label", "--target", "HEAD", "-m", "here"), True),
    (("session_info", "-m", "parser"), True),
    (("usage", "--field", "kind=k", "--field", "provider=p", "--field", "model=m", "--field", "usage:={}"), True),
]


@pytest.mark.parametrize(("args", "allowed"), INSIDE)
def test_inside_pi_only_what_it_reads_from_anywhere_is_appended_unless_forced(
    pisess: Pisess, file: Path, args: tuple[str, ...], allowed: bool
) -> None:
    env = {"PI_SESSION_FILE": str(file)}

    assert pisess("append", *args, env=env).code == (0 if allowed else 1)
    assert (file.read_bytes() == talk().data) is not allowed
    pisess.ok("append", *args, "-f", env=env)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("nonsense",), "'nonsense' is not one of"),
        ((), "TYPE"),
        (("custom",), "missing required field `customType`"),
        (("custom", "--custom-type", "x", "--data", "{"), "not JSON"),
        (("custom", "--custom-type", "x", "--field", "data"), "not a field (data)"),
        (("custom", "--custom-type", "x", "--field", "id=y"), "unknown field `id`"),
        (("custom", "--custom-type", "x", "-m", "text"), "no text (custom)"),
        (("custom", "--custom-type", "x", "--target", "HEAD"), "about no other (custom)"),
        (("message", "--role", "user"), "goes with -m"),
        (("message", "--role", "assistant", "-m", "yes"), "more than a text (assistant)"),
    ],
)
def test_what_makes_no_sense_is_a_wrong_usage(pisess: Pisess, file: Path, args: tuple[str, ...], reason: str) -> None:
    with unchanged(pisess.home):
        assert reason in pisess.fail("append", *args, code=2)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("label", "--field", "targetId=gone", "-m", "x"), "no such entry (gone)"),
        (("label", "--target", "gone", "-m", "x"), "no entry or label has that name (gone)"),
        (("context_edit", "--target", "0009beef", "-m", "x"), "not on the current path"),
        (("message", "--field", "message:={}"), "a message needs a role"),
        (("custom", "--custom-type", "x", "--parent", "gone"), "no entry or label has that name (gone)"),
        (("custom", "-F", "nowhere.json"), "no such file"),
    ],
)
def test_what_is_refused_leaves_the_file_as_it_was(
    pisess: Pisess, file: Path, args: tuple[str, ...], reason: str
) -> None:
    with unchanged(pisess.home):
        assert reason in pisess.fail("append", *args)


def test_a_parent_in_another_session_is_a_wrong_usage(pisess: Pisess, file: Path) -> None:
    other = talk().write(pisess.home / "other.jsonl")

    with unchanged(pisess.home):
        told = pisess.fail("append", "custom", "--custom-type", "x", "--parent", f"{other}:HEAD", code=2)

    assert "another session" in told
