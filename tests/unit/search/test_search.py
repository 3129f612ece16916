import os
import threading
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, call, id_of, session, talk, text, time_of
from pisess_cli.core.errors import PisessError, UsageFault
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.search import pattern, search
from pisess_cli.core.search.entry_filter import EntryFilter
from pisess_cli.core.search.hits import Hit
from pisess_cli.core.search.pattern import Pattern
from pisess_cli.core.search.query import Query
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage import blocks


@pytest.fixture(autouse=True)
def _always_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    """These files are too small for it to be worth its start."""
    monkeypatch.setattr(search, "_WORTH_RIPGREP_BYTES", 0)


def hits_in(path: Path, words: str | None = None, **wishes: Any) -> list[Hit]:
    how = {key: wishes.pop(key) for key in ("regex", "ignore_case") if key in wishes}
    query = Query(None if words is None else Pattern(words, **how), **wishes)
    found = list(search.search([path], query))
    assert found == list(search.search([path], query, use_ripgrep=False))
    return found


def hits(tmp_path: Path, story: SessionBuilder, words: str | None = None, **wishes: Any) -> list[Hit]:
    return hits_in(story.write(tmp_path), words, **wishes)


def lines(tmp_path: Path, story: SessionBuilder, words: str | None = None, **wishes: Any) -> list[str]:
    return [hit.line for hit in hits(tmp_path, story, words, **wishes)]


def test_a_hit_says_where_it_is_and_has_the_whole_line(tmp_path: Path) -> None:
    story = session("s1").user("first\nthe second line is here\nthird")

    [hit] = hits(tmp_path, story, "second")

    assert hit.as_json() == {
        "path": str(tmp_path / "session.jsonl"),
        "session": "s1",
        "entry": id_of(1),
        "type": "message",
        "role": "user",
        "timestamp": time_of(1),
        "line": "the second line is here",
    }


def test_every_line_that_matches_is_a_hit_in_the_order_of_the_file(tmp_path: Path) -> None:
    story = session().user("one a\nnothing\none b").assistant("one c one").name("one d")

    assert lines(tmp_path, story, "one") == ["one a", "one b", "one c one", "one d"]


def test_what_an_entry_has_not_is_none(tmp_path: Path) -> None:
    [hit] = hits(tmp_path, session().entry("label", id=5, timestamp=..., targetId="x", label="good"), "good")

    assert (hit.entry, hit.role, hit.timestamp) == (None, None, None)


SAID: dict[str, SessionBuilder] = {
    "user": session().user("needle"),
    "system": session().system("", sections={"rules": "a needle"}),
    "blocks": session().user([text("hay"), text("a needle")]),
    "thinking": session().message("assistant", [{"type": "thinking", "thinking": "a needle"}]),
    "tool": session().assistant("", call("needle")),
    "arguments": session().assistant("", call("edit", edits=[{"old": "hay", "new": "a needle"}])),
    "result": session().result("a needle"),
    "nested calls": session().result("hay", nestedCalls={"calls": [call("read", path="needle.py")]}),
    "command": session().bash("cat needle"),
    "output": session().bash("cat", "hay\na needle"),
    "error": session().assistant("", errorMessage="no needle"),
    "custom message": session().custom_message("a needle"),
    "compaction": session().user("x").compact("a needle"),
    "branch summary": session().branch_summary("a needle"),
    "context edit": session().user("x").edit("x", [text("a needle")]),
    "label": session().user("x").label("needle"),
    "name": session().name("needle"),
    "usage": session().entry("usage", kind="other", note="needle"),
}


@pytest.mark.parametrize("where", SAID)
def test_all_that_is_said_is_searched(tmp_path: Path, where: str) -> None:
    assert len(hits(tmp_path, SAID[where], "needle")) == 1


NOT_SAID: dict[str, SessionBuilder] = {
    "header": session("needle", "/needle"),
    "id": session().entry("message", id="needle", message={"role": "user", "content": "x"}),
    "image": session().user([{"type": "image", "data": "needle", "mimeType": "image/png"}]),
    "signature": session().message("assistant", [{"type": "thinking", "thinking": "x", "thinkingSignature": "needle"}]),
    "call id": session().assistant("", call("read", call_id="needle")),
    "custom": session().custom("needle", {"needle": "needle"}),
    "key": session().assistant("", call("read", needle="x")),
    "no JSON": session().raw('{"type":"message","message":{"role":"user","content":"needle"'),
    "second header": session().raw('{"type":"session","id":"needle","name":"needle","summary":"needle"}'),
}


@pytest.mark.parametrize("where", NOT_SAID)
def test_what_nobody_said_is_not_searched(tmp_path: Path, where: str) -> None:
    assert hits(tmp_path, NOT_SAID[where], "needle") == []


@pytest.mark.parametrize(
    ("spelled", "words"),
    [
        (r"r\u00e9sum\u00E9", "résumé"),
        ("résumé", "résumé"),
        (r"r\u00e9sumé", "résumé"),
        (r"\u006eeedle", "needle"),
        (r"say \"hi\"", 'say "hi"'),
        (r"a\\b", "a\\b"),
        (r"src\/main.py", "src/main.py"),
        (r"a\tb", "a\tb"),
        (r"a\u0009b", "a\tb"),
        (r"\u001B[1m", "\x1b[1m"),
        (r"\ud83d\ude42!", "🙂!"),
        ("🙂!", "🙂!"),
        ("\\u4F1A\u8bdd", "会话"),
        (r"a\ud800b", "a\ud800b"),
    ],
)
def test_every_spelling_of_json_is_found(tmp_path: Path, spelled: str, words: str) -> None:
    line = f'{{"type":"session_info","id":"x","parentId":null,"name":"<{spelled}>"}}'

    assert lines(tmp_path, session().raw(line), words) == [f"<{words}>"]


def test_bytes_that_are_no_utf_8_are_found_as_what_stands_for_them(tmp_path: Path) -> None:
    story = session().raw(b'{"type":"session_info","name":"a\xffb"}')

    assert lines(tmp_path, story, "a\ufffdb") == ["a\ufffdb"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("NEEDLE", "a Needle"),
        ("résumé", "RÉSUMÉ"),
        ("Ошибка", "оШИБКА"),
        ("kiss", "\u212ai\u017fs"),
        ("\u212aelvin", "KELVIN"),
        ("FIX", "f\u0131x"),
        ("a", "A"),
        ('"Hi"', 'he said "hI"'),
    ],
)
def test_case_is_ignored_when_asked_for(tmp_path: Path, words: str, said: str) -> None:
    story = session().user(said)

    assert lines(tmp_path, story, words, ignore_case=True) == [said]
    assert lines(tmp_path, story, words) == []


def test_a_text_is_taken_as_it_is(tmp_path: Path) -> None:
    assert lines(tmp_path, session().user("a.c\nabc"), "a.c") == ["a.c"]


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("a.c", ["a.c", "abc"]),
        ("^b", ["bcd"]),
        ("d$", ["bcd"]),
        (r"\Ab", ["bcd"]),
        (r"b\sc", []),
        ("(?s)c.b", []),
        ("(?x) b c # x", ["abc", "bcd"]),
        ("[^x]d", ["bcd"]),
        ("c|z", ["a.c", "abc", "bcd"]),
        ("(?i)ABC", ["abc"]),
        ("(?=b)bc", ["abc", "bcd"]),
    ],
)
def test_a_regular_expression_is_matched_line_by_line(tmp_path: Path, expression: str, found: list[str]) -> None:
    assert lines(tmp_path, session().user("a.c\nabc\nbcd"), expression, regex=True) == found


def test_lines_that_end_as_on_windows_are_lines(tmp_path: Path) -> None:
    story = session().bash("x", "one\r\ntwo\r\none\r")

    assert lines(tmp_path, story, "one$", regex=True) == ["one", "one"]
    assert lines(tmp_path, story, "one") == ["one", "one"]


def test_line_separators_of_unicode_end_no_line(tmp_path: Path) -> None:
    said = "an error:\u2028TypeError: stray\u0085text"

    assert lines(tmp_path, session().user(said), "TypeError") == [said]


def test_an_empty_text_matches_every_line(tmp_path: Path) -> None:
    assert lines(tmp_path, session().user("a\n\nb"), "") == ["a", "", "b"]


@pytest.mark.parametrize("expression", ["(", "[", "*", "a{2,1}", "(?P<x>a)(?P<x>b)", "(" * 3000 + ")" * 3000])
def test_what_is_no_regular_expression_is_refused(expression: str) -> None:
    with pytest.raises(UsageFault, match="not a regular expression"):
        Pattern(expression, regex=True)


def test_a_text_of_several_lines_is_refused() -> None:
    with pytest.raises(UsageFault, match="several lines"):
        Pattern("one\ntwo")


@pytest.mark.filterwarnings("error")
def test_a_doubtful_expression_warns_nobody() -> None:
    Pattern("[[a]", regex=True)


@pytest.mark.parametrize("expression", ["(a+)+$", r"(a|a)*[^a]\s"])
def test_an_expression_that_would_never_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expression: str
) -> None:
    assert threading.current_thread() is threading.main_thread(), "nothing can stop it in another one"
    monkeypatch.setattr(pattern, "MOST_SECONDS", 0.05)
    path = session().user("a" * 60 + "b").write(tmp_path)

    with pytest.raises(PisessError, match="takes too long"):
        hits_in(path, expression, regex=True)


def test_the_limit_of_one_file_does_not_outlive_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern, "MOST_SECONDS", 0.05)
    assert len(hits(tmp_path, session().user("x"), "x", regex=True)) == 1

    sum(range(10_000_000))


# Which entries


def test_roles_types_and_times_choose_entries(tmp_path: Path) -> None:
    story = session().user("x 1").assistant("x 2").name("x 3").user("x 4")

    def found(**wishes: Any) -> list[str]:
        return lines(tmp_path, story, "x", entries=EntryFilter(full=True, **wishes))

    assert found(roles=("user",)) == ["x 1", "x 4"]
    assert found(types=("session_info",)) == ["x 3"]
    assert found(since=parse_ms(time_of(2)), until=parse_ms(time_of(3))) == ["x 2", "x 3"]


def test_a_tool_is_that_of_a_call_or_of_a_result(tmp_path: Path) -> None:
    story = (
        session()
        .assistant("x 1", call("bash", command="ls"))
        .result("x 2", tool="bash")
        .result("x 3", tool="read", nestedCalls={"calls": [call("bash")]})
        .result("x 4", tool="bash2")
        .user("x bash")
    )

    assert lines(tmp_path, story, "x", tool="bash") == ["x 1", "x 2", "x 3"]


def test_a_part_of_provider_and_model_is_enough_in_any_case(tmp_path: Path) -> None:
    story = (
        session()
        .assistant("x 1", provider="anthropic", model="claude-opus")
        .assistant("x 2", provider="openai", model="gpt", responseModel="gpt-Opus")
        .assistant("x 3", provider="opus", model="one")
        .user("x opus")
    )

    assert lines(tmp_path, story, "x", model="OPUS") == ["x 1", "x 2", "x 3"]
    assert lines(tmp_path, story, "x", model="anthropic/claude") == ["x 1"]


def test_without_a_text_each_entry_is_one_hit_with_its_first_line(tmp_path: Path) -> None:
    story = session().user("first\nsecond").assistant("", call("bash", command="ls -l")).model("acme", "two")

    assert lines(tmp_path, story, model="acme") == ["bash: ls -l", "model acme/two"]
    assert lines(tmp_path, story, entries=EntryFilter(roles=("user",), full=True)) == ["first"]


def test_without_any_wish_all_entries_are_hits_but_not_the_header(tmp_path: Path) -> None:
    assert len(lines(tmp_path, talk())) == len(talk().values)


FILE_CALLS = [
    ("src/main.py", "src/main.py", True),
    ("src/main.py", "main.py", True),
    ("./src/../src/main.py", "src/main.py", True),
    ("/home/me/app/src/main.py", "src/main.py", True),
    ("src/main.py", "/home/me/app/src/main.py", True),
    ("src/main.py", "app/src/main.py", True),
    ("src/main.py", "./src/main.py", True),
    ("src/domain.py", "main.py", False),
    ("src/main.py", "/src/main.py", False),
    ("main.py/x", "main.py", False),
    ("", "main.py", False),
    (5, "main.py", False),
]


@pytest.mark.parametrize(("path", "wanted", "same"), FILE_CALLS)
def test_a_file_is_named_by_the_end_of_its_path_or_by_all_of_it(
    tmp_path: Path, path: object, wanted: str, same: bool
) -> None:
    story = session(cwd="/home/me/app").assistant("", call("edit", path=path))

    assert bool(hits(tmp_path, story, file=wanted)) is same


@pytest.mark.parametrize(("tool", "touches"), [("read", True), ("write", True), ("edit", True), ("grep", False)])
def test_reading_writing_and_editing_concern_a_file(tmp_path: Path, tool: str, touches: bool) -> None:
    assert bool(hits(tmp_path, session().assistant("", call(tool, path="a.py")), file="a.py")) is touches


def test_a_file_and_a_text_find_the_text_anywhere_in_the_sessions_that_touched_the_file(tmp_path: Path) -> None:
    touched = session().user("x 1").assistant("", call("edit", path="a.py")).user("x 2")
    other = session().user("x a.py").assistant("", call("edit", path="b.py"))

    assert lines(tmp_path, touched, "x", file="a.py") == ["x 1", "x 2"]
    assert lines(tmp_path, other, "x", file="a.py") == []


def test_a_label_finds_the_entries_that_have_it_now(tmp_path: Path) -> None:
    story = session().user("one").label("good").user("two").label("good").clear_label("one").label("goods", on="one")

    assert lines(tmp_path, story, label="good") == ["two"]


def test_a_label_and_a_text_find_the_text_in_the_sessions_that_have_the_label(tmp_path: Path) -> None:
    story = session().user("x one").label("good")

    assert lines(tmp_path, story, "x", label="good") == ["x one"]
    assert lines(tmp_path, story, "x", label="bad") == []


def forked() -> SessionBuilder:
    return session().user("x root").user("x old").branch_at("x root").user("x new")


def test_hits_say_on_which_branch_they_are_when_asked(tmp_path: Path) -> None:
    found = hits(tmp_path, forked(), "x", tell_branch=True)

    assert [(hit.line, hit.is_current) for hit in found] == [("x root", True), ("x old", False), ("x new", True)]
    assert {hit.is_current for hit in hits(tmp_path, forked(), "x")} == {None}


def test_a_branch_chooses_hits(tmp_path: Path) -> None:
    assert lines(tmp_path, forked(), "x", branch="current") == ["x root", "x new"]
    assert lines(tmp_path, forked(), "x", branch="abandoned") == ["x old"]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_hits_in_an_old_file_have_the_ids_that_other_commands_use(tmp_path: Path, version: int) -> None:
    path = talk().version(version).write(tmp_path)

    [hit] = hits_in(path, "Only rename")

    assert isinstance(hit.entry, str)
    named = Session(path).get(hit.entry)
    assert isinstance(named, Entry)
    assert named.message["content"] == "Only rename it."


# Which files


def test_the_file_that_was_modified_last_comes_first(tmp_path: Path) -> None:
    paths = [session(name).user("x").write(tmp_path / name) for name in ("a", "b", "c")]
    for path, seconds in zip(paths, (20, 30, 10), strict=True):
        os.utime(path, (seconds, seconds))

    assert [hit.session for hit in search.search(paths, Query(Pattern("x")))] == ["b", "a", "c"]


def test_one_hit_a_file_is_enough_when_asked(tmp_path: Path) -> None:
    paths = [session(name).user("x").user("x\nx").write(tmp_path / name) for name in ("a", "b")]

    assert len(list(search.search(paths, Query(Pattern("x")), first_only=True))) == 2


def test_hits_come_before_all_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_BATCH_FILES", 1)
    paths = [session(name).user("x").write(tmp_path / name) for name in ("a", "b")]
    ticks: list[None] = []

    next(search.search(paths, Query(Pattern("x")), tick=lambda: ticks.append(None)))

    assert ticks == []


def test_each_file_is_told_when_it_is_done(tmp_path: Path) -> None:
    paths = [session().user(words).write(tmp_path / words) for words in ("x", "y", "z")]
    ticks: list[None] = []

    list(search.search(paths, Query(Pattern("x")), tick=lambda: ticks.append(None)))

    assert len(ticks) == 3


def test_files_that_are_no_sessions_have_no_hits(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("needle\n")
    (tmp_path / "array").write_text('["needle"]\n')
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "gone").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")

    assert list(search.search(tmp_path.iterdir(), Query(Pattern("needle")))) == []


def test_a_line_that_is_no_entry_hides_no_other(tmp_path: Path) -> None:
    story = session().raw("needle").raw("[1]").raw(b"\0needle\0").user("a needle")

    assert lines(tmp_path, story, "needle") == ["a needle"]


def test_a_line_longer_than_a_block_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_BLOCK", 64)
    story = session().user("x" * 500 + "\nneedle").user("needle")

    assert lines(tmp_path, story, "needle") == ["needle", "needle"]


# Without ripgrep


def searched_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None) -> int:
    programs = tmp_path / "bin"
    programs.mkdir()
    if script is not None:
        (programs / "rg").write_text(f"#!/bin/sh\n{script}\n")
        (programs / "rg").chmod(0o700)
    monkeypatch.setenv("PATH", str(programs))
    path = session().user("needle").write(tmp_path)
    return len(list(search.search([path], Query(Pattern("needle")))))


def test_all_is_found_where_ripgrep_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert searched_with(tmp_path, monkeypatch, None) == 1


@pytest.mark.parametrize("script", ["exit 2", "kill -9 $$", "printf 'nobody asked for this\\0'"])
def test_all_is_found_where_ripgrep_has_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    assert searched_with(tmp_path, monkeypatch, script) == 1


def test_ripgrep_saves_the_files_that_it_did_not_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert searched_with(tmp_path, monkeypatch, "exit 1") == 0
