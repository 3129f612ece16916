"""What a redacted copy holds: notes in place of what was taken out, every other byte as it was."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import SessionBuilder, call, dumps, id_of, session, talk
from hostile import files
from pisess_cli.core.copies.redact import NOTE, Redaction, Words
from pisess_cli.core.errors import PisessError, UsageFault
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.format.jsonl import decode
from pisess_cli.core.format.line_strings import strings
from pisess_cli.core.search.pattern import MOST_SECONDS
from pisess_cli.core.session.session import Session

SIGNED = {"type": "thinking", "thinking": "the password is swordfish", "thinkingSignature": "c2lnbmVk"}


class Copy:
    """A redacted copy, by its lines; entries are named by what they said."""

    def __init__(self, made: SessionBuilder, folder: Path, *entries: str, **words: Any) -> None:
        source = Session(made.write(folder))
        chosen = [entry for entry in source.tree.entries if entry.id in made.ids(*entries)]
        self.plan = Redaction(source, chosen, Words(**words) if words else None)
        self.lines = b"".join(self.plan.lines()).split(b"\n")[:-1]
        self.values: list[dict[str, Any]] = [json.loads(line) for line in self.lines]

    def message(self, entry_id: str) -> dict[str, Any]:
        found: dict[str, Any] = next(value for value in self.values if value["id"] == entry_id)["message"]
        return found


def test_only_strings_that_match_change(tmp_path: Path) -> None:
    odd = '{"type":"custom","id":"x","parentId":null,"timestamp":"t","n":[1.0,1e400,"\\u0041"],"data":"a swordfish"}'
    made = session().user("hi").raw(odd).user("swordfish?")

    copy = Copy(made, tmp_path, texts=["swordfish"])

    expected = [line.replace(b"swordfish", NOTE.encode()) for line in made.lines]
    assert copy.lines == expected
    assert copy.plan.replaced == 2


def test_the_source_is_not_written(tmp_path: Path) -> None:
    made = session().user("swordfish")
    Copy(made, tmp_path, texts=["swordfish"])

    assert (tmp_path / "session.jsonl").read_bytes() == made.data


@pytest.mark.parametrize(
    "made",
    [
        session().user("a swordfish"),
        session().user([{"type": "text", "text": "a swordfish"}]),
        session().assistant("", SIGNED),
        session().assistant("", call("bash", command="echo swordfish")),
        session().assistant("", call("bash", env={"swordfish": 1})),
        session().result("a swordfish"),
        session().result("", details={"diff": [["swordfish"]]}),
        session().bash("echo swordfish"),
        session().bash("echo", "swordfish"),
        session().assistant("", errorMessage="no swordfish"),
        session().system("", sections={"memory": "swordfish"}),
        session().custom_message("swordfish"),
        session().user("x").compact("swordfish", details={"readFiles": ["/swordfish"]}),
        session().branch_summary("swordfish"),
        session().user("x").edit("x", "swordfish"),
        session().user("x").label("swordfish"),
        session().name("swordfish"),
        session().custom("ext", "swordfish"),
        session().custom("ext", {"a": {"b": ["swordfish"]}}),
        session().entry("from_the_future", said={"by": "swordfish"}),
        session(cwd="/home/swordfish").user("x"),
        session(parentSession="/home/swordfish/old.jsonl").user("x"),
        session().raw('{"type":"custom","id":"x","customType":"x","data":"sword\\u0066ish"}'),
        session().raw('{"type":"custom","id":"x","customType":"x","data":"swordfish","data":"nothing"}'),
    ],
)
def test_it_is_taken_out_wherever_words_may_stand(tmp_path: Path, made: SessionBuilder) -> None:
    copy = Copy(made, tmp_path, texts=["swordfish"])

    said = [text for line in copy.lines for text, _ in strings(line)]
    assert not any("swordfish" in text for text in said)
    assert any(NOTE in text for text in said)
    assert copy.plan.replaced == len([text for text in said if NOTE in text])


def test_what_holds_the_session_together_stays(tmp_path: Path) -> None:
    made = talk().custom("acme", {}).entry("from_the_future", type="from_the_future")

    copy = Copy(made, tmp_path, patterns=["message|user|assistant|toolCall|call_1|read|acme|one|beef|2026|stop|system"])

    kept = ("type", "id", "parentId", "timestamp", "customType", "provider", "modelId")
    before = [json.loads(line) for line in made.lines]
    assert [[value.get(key) for key in kept] for value in copy.values] == [
        [value.get(key) for key in kept] for value in before
    ]
    roles = [value["message"]["role"] for value in copy.values if "message" in value]
    assert roles == [value["message"]["role"] for value in before if "message" in value]
    assert copy.message(id_of(5))["content"][1]["name"] == copy.message(id_of(6))["toolName"] == "read"
    assert copy.plan.left > 0


def test_a_session_without_a_match_comes_back_as_it_was(tmp_path: Path) -> None:
    copy = Copy(talk(), tmp_path, texts=["swordfish"])

    assert b"\n".join(copy.lines) + b"\n" == talk().data
    assert (copy.plan.replaced, copy.plan.left) == (0, 0)


def test_signatures_of_what_has_changed_go(tmp_path: Path) -> None:
    other = {"type": "thinking", "thinking": "nothing", "thinkingSignature": "b3RoZXI="}
    signed_call = {**call("bash", command="swordfish"), "thoughtSignature": "dGhvdWdodA=="}

    content = Copy(session().assistant("", SIGNED, other, signed_call), tmp_path, texts=["swordfish"]).message(id_of(1))

    signatures = [block.get("thinkingSignature", block.get("thoughtSignature")) for block in content["content"]]
    assert signatures == ["", "b3RoZXI=", ""]


def test_a_signature_that_holds_the_words_goes(tmp_path: Path) -> None:
    telling = {"type": "thinking", "thinking": "", "thinkingSignature": '{"summary":"swordfish"}'}

    content = Copy(session().assistant("", telling), tmp_path, texts=["swordfish"]).message(id_of(1))["content"]

    assert content == [{"type": "thinking", "thinking": "", "thinkingSignature": ""}]


def test_images_are_not_looked_into(tmp_path: Path) -> None:
    image = {"type": "image", "data": "swordfish", "mimeType": "image/png"}
    made = session().user([image, {"type": "text", "text": "swordfish"}])

    content = Copy(made, tmp_path, texts=["swordfish"]).message(id_of(1))["content"]

    assert content == [image, {"type": "text", "text": NOTE}]


def test_lines_that_are_no_json_are_left_out(tmp_path: Path) -> None:
    copy = Copy(session().user("x").raw("swordfish").raw("").torn("swordf"), tmp_path, texts=["x"])

    assert (len(copy.lines), copy.plan.unreadable) == (2, 2)


# What is looked for.


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ({"patterns": ["b+"]}, "abbabba", f"a{NOTE}a{NOTE}a"),
        ({"patterns": ["^b$"]}, "b\nab\nb", f"{NOTE}\nab\n{NOTE}"),
        ({"patterns": ["(?s)b.*d"]}, "ab\ncde", f"a{NOTE}e"),
        ({"patterns": ["b*"]}, "abba", f"a{NOTE}a"),
        ({"patterns": ["ab", "bc"]}, "xabcx", f"x{NOTE}x"),
        ({"patterns": ["ab", "cd"]}, "xabcdx", f"x{NOTE}{NOTE}x"),
        ({"patterns": ["(?i)B"]}, "abA", f"a{NOTE}A"),
        ({"patterns": ["B"], "ignore_case": True}, "ab", f"a{NOTE}"),
        ({"texts": ["a.b"]}, "a.b axb", f"{NOTE} axb"),
        ({"texts": ["A\nb"], "ignore_case": True}, "xa\nbx", f"x{NOTE}x"),
        ({"texts": ['"\\'], "patterns": ["é"]}, '"\\é"', f'{NOTE}{NOTE}"'),
        ({"secrets": True}, "np" + "m_" + "aB3" * 12 + " ok", f"{NOTE} ok"),
    ],
)
def test_what_matches_is_replaced(tmp_path: Path, words: dict[str, Any], before: str, after: str) -> None:
    assert Copy(session().user(before), tmp_path, **words).message(id_of(1))["content"] == after


def test_secrets_are_known_by_the_name_of_their_argument(tmp_path: Path) -> None:
    secret = "aB3dE6gH9jK2mN5p"
    made = session().assistant("", call("http", headers={"api_key": secret}, page=secret))

    [block] = Copy(made, tmp_path, secrets=True).message(id_of(1))["content"]

    assert block["arguments"] == {"headers": {"api_key": NOTE}, "page": secret}


def test_what_is_no_regular_expression_is_refused() -> None:
    with pytest.raises(UsageFault, match="not a regular expression"):
        Words(["("])


def test_a_pattern_that_takes_for_ever_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_SECONDS > 0.05
    monkeypatch.setattr("pisess_cli.core.search.pattern.MOST_SECONDS", 0.05)

    with pytest.raises(PisessError, match="takes too long"):
        Copy(session().user("a" * 60), tmp_path, patterns=["(a|a)+$b"])


# Entries that are taken out.


def test_an_entry_loses_its_words_and_images_and_keeps_its_place(tmp_path: Path) -> None:
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    made = session().user("one").user([{"type": "text", "text": "two", "x": "y"}, image]).user("three")
    second = made.values[1]["id"]

    copy = Copy(made, tmp_path, second)

    note = {"type": "text", "text": NOTE}
    assert copy.values[2] == {**made.values[1], "message": {**made.values[1]["message"], "content": [note, note]}}
    assert copy.lines[:2] + copy.lines[3:] == made.lines[:2] + made.lines[3:]
    assert copy.plan.replaced == 2


def test_an_answer_keeps_its_calls_without_what_they_say(tmp_path: Path) -> None:
    made = session().assistant("words", SIGNED, call("bash", command="ls", n=1, env={"A": "b", "C": ""}))

    [text, thinking, called] = Copy(made, tmp_path, "words").message(id_of(1))["content"]

    assert text == {"type": "text", "text": NOTE}
    assert thinking == {"type": "thinking", "thinking": NOTE}
    assert called == call("bash", command=NOTE, n=1, env={"A": NOTE, "C": ""})


def test_a_result_loses_its_details_too(tmp_path: Path) -> None:
    made = session().result("out", details={"diff": "-a +b", "lines": 3})

    message = Copy(made, tmp_path, "out").message(id_of(1))

    assert message["content"] == [{"type": "text", "text": NOTE}]
    assert message["details"] == {"diff": NOTE, "lines": 3}
    assert (message["toolCallId"], message["toolName"]) == ("call_1", "bash")


def test_a_command_a_summary_and_a_name_go(tmp_path: Path) -> None:
    made = session().bash("ls", "out").compact("sum", details={"readFiles": ["/a"]}).name("secret").label("mine", "ls")

    copy = Copy(made, tmp_path, "ls", "sum", id_of(3), id_of(4))

    assert (copy.message(id_of(1))["command"], copy.message(id_of(1))["output"]) == (NOTE, NOTE)
    assert (copy.values[2]["summary"], copy.values[2]["details"]) == (NOTE, {"readFiles": [NOTE]})
    assert (copy.values[3]["name"], copy.values[4]["label"]) == (NOTE, NOTE)
    assert (copy.values[2]["firstKeptEntryId"], copy.values[4]["targetId"]) == (id_of(2), id_of(1))


def test_what_an_edit_put_in_the_entrys_place_goes_with_it(tmp_path: Path) -> None:
    made = session().user("one").user("two").edit("one", "instead").edit("two", "other")

    copy = Copy(made, tmp_path, "one")

    assert copy.values[3]["replacement"] == {"content": NOTE}
    assert copy.values[4]["replacement"] == {"content": "other"}


def test_entries_and_words_go_together(tmp_path: Path) -> None:
    copy = Copy(session().user("one").user("two three"), tmp_path, "one", texts=["two"])

    assert [copy.message(id_of(1))["content"], copy.message(id_of(2))["content"]] == [NOTE, f"{NOTE} three"]


def test_a_session_of_the_first_version_becomes_a_current_one(tmp_path: Path) -> None:
    copy = Copy(session().user("one").user("two").version(1), tmp_path, texts=["one"])

    assert (copy.values[0]["version"], copy.values[2]["parentId"]) == (3, copy.values[1]["id"])
    assert copy.values[1]["message"]["content"] == NOTE


@given(files, st.sampled_from(["hi", "es", "evil", "x"]))
def test_no_file_is_too_odd_and_nothing_stays_but_structure(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, word: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "odd.jsonl"
    path.write_bytes(data)
    source = Session(path)

    lines = b"".join(Redaction(source, source.tree.entries[:1], Words(texts=[word])).lines()).split(b"\n")[:-1]

    again = path.with_name("again.jsonl")
    again.write_bytes(b"".join(line + b"\n" for line in lines))
    assert Redaction(Session(again), (), Words(texts=[word])).replaced == 0
    assert [decodes(line) for line in lines] == [True] * len(lines)
    assert [entry.key for entry in Session(again).tree.entries if isinstance(entry.key, str)] == [
        entry.key for entry in source.tree.entries if isinstance(entry.key, str)
    ]


def decodes(line: bytes) -> bool:
    try:
        decode(line)
    except BadLine:
        return False
    return True


def test_values_are_spelled_as_pi_spells_them(tmp_path: Path) -> None:
    copy = Copy(session().user('é "x" \\ \n swordfish'), tmp_path, texts=["swordfish"])

    assert copy.lines[1] == dumps(copy.values[1]).encode()
