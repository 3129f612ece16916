import os
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, session, talk, text, time_of
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.storage import blocks
from pisess_cli.core.store.listing import SessionFilter, SessionInfo, list_sessions


def listed(path: Path) -> SessionInfo:
    [info] = list_sessions([path])
    return info


def info_of(tmp_path: Path, story: SessionBuilder) -> SessionInfo:
    return listed(story.write(tmp_path))


def test_a_session_is_told_by_its_header_and_its_messages(tmp_path: Path) -> None:
    info = info_of(tmp_path, session("s1", "/home/me/app", parentSession="/old.jsonl").user("Hello").assistant("Hi"))

    assert info.as_json() == {
        "path": str(tmp_path / "session.jsonl"),
        "id": "s1",
        "cwd": "/home/me/app",
        "name": None,
        "parentSession": "/old.jsonl",
        "created": time_of(0),
        "modified": time_of(2),
        "messageCount": 2,
        "firstMessage": "Hello",
    }


def test_size_and_time_are_those_of_the_file(tmp_path: Path) -> None:
    path = talk().write(tmp_path)
    os.utime(path, ns=(1, 1_700_000_000_123_456_789))

    info = listed(path)

    assert (info.size, info.mtime_ns) == (len(talk().data), 1_700_000_000_123_456_789)


def test_a_header_without_a_directory_gives_none_in_json(tmp_path: Path) -> None:
    assert info_of(tmp_path, session(cwd=None)).as_json()["cwd"] is None


def test_messages_of_every_branch_and_role_are_counted(tmp_path: Path) -> None:
    story = (
        session().system("Be brief.").user("a").assistant("b").branch_at("a").result("c").custom_message("no message")
    )

    assert info_of(tmp_path, story).message_count == 4


def test_the_last_name_counts_even_from_another_branch(tmp_path: Path) -> None:
    story = session().user("a").name("first").branch_at("a").name("  second ")

    assert info_of(tmp_path, story).name == "second"


@pytest.mark.parametrize("name", ["", "  ", None, 5, ["x"], ...])
def test_a_later_empty_name_clears(tmp_path: Path, name: Any) -> None:
    assert info_of(tmp_path, session().name("fine").name(name)).name is None


def test_the_first_message_is_the_first_user_message_with_text(tmp_path: Path) -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    story = session().assistant("not me").user("").user([image]).user([text("look"), image, text("here")]).user("late")

    assert info_of(tmp_path, story).first_message == "look here"


def test_texts_that_are_no_strings_are_shown_as_javascript_shows_them(tmp_path: Path) -> None:
    content = [{"type": "text", "text": 5.0}, {"type": "text"}, None, "x", {"type": "text", "text": {"a": 1}}]

    assert info_of(tmp_path, session().user(content)).first_message == "5  [object Object]"


def test_a_session_without_user_text_says_so(tmp_path: Path) -> None:
    assert info_of(tmp_path, session().assistant("hi")).first_message == "(no messages)"


@pytest.mark.parametrize("content", [None, 5, {"a": 1}, ...])
def test_a_message_without_readable_content_is_counted_all_the_same(tmp_path: Path, content: Any) -> None:
    message = {"role": "user"} if content is ... else {"role": "user", "content": content}
    story = session().entry("message", message=message).entry("message", message=None).entry("message").user("words")

    info = info_of(tmp_path, story)

    assert (info.message_count, info.first_message) == (4, "words")


def said_at(time: Any, role: str = "user", **fields: Any) -> SessionBuilder:
    return session().entry("message", message={"role": role, "content": "x", "timestamp": time}, **fields)


def test_the_latest_user_or_assistant_time_makes_it_modified(tmp_path: Path) -> None:
    late = 1_800_000_000_000
    story = (
        said_at(late).entry("message", message={"role": "toolResult", "content": "y", "timestamp": late + 1}).user("z")
    )

    assert info_of(tmp_path, story).modified == "2027-01-15T08:00:00.000Z"


@pytest.mark.parametrize("time", ["1800000000000", None, True, ...])
def test_a_message_time_that_is_no_number_gives_way_to_the_entry_s(tmp_path: Path, time: Any) -> None:
    message = {"role": "user", "content": "x"} if time is ... else {"role": "user", "content": "x", "timestamp": time}

    assert info_of(tmp_path, session().entry("message", message=message)).modified == time_of(1)


@pytest.mark.parametrize("time", [0, -5])
def test_without_a_time_above_zero_the_header_s_counts(tmp_path: Path, time: int) -> None:
    assert info_of(tmp_path, said_at(time)).modified == time_of(0)


def test_without_any_date_the_file_s_time_counts(tmp_path: Path) -> None:
    path = session(timestamp="not a date").write(tmp_path)
    os.utime(path, (0, 1_800_000_000))

    info = listed(path)

    assert (info.created, info.modified) == (None, "2027-01-15T08:00:00.000Z")


@pytest.mark.parametrize("time", [1e300, 9e15])
def test_a_time_beyond_all_dates_is_none(tmp_path: Path, time: float) -> None:
    assert info_of(tmp_path, said_at(time)).modified is None


def test_an_infinite_time_is_none(tmp_path: Path) -> None:
    line = '{"type":"message","message":{"role":"user","content":"x","timestamp":1e400}}'

    assert info_of(tmp_path, session().raw(line)).modified is None


def test_the_last_modified_comes_first(tmp_path: Path) -> None:
    old = session("old").user("a").write(tmp_path / "a.jsonl")
    new = session("new").user("a").assistant("b").write(tmp_path / "b.jsonl")
    never = said_at(1e300).write(tmp_path / "c.jsonl")
    same = session("same").user("a").write(tmp_path / "d.jsonl")

    assert [info.path for info in list_sessions([never, old, new, same])] == [new, old, same, never]


def test_lines_end_at_newlines_alone(tmp_path: Path) -> None:
    story = session().user("a\u2028b\u0085c\u2029d").raw('{"type":"message",\r"message":{}}\r').user("e")

    info = info_of(tmp_path, story)

    assert (info.message_count, info.first_message) == (3, "a\u2028b\u0085c\u2029d")


@pytest.mark.parametrize(
    "line", ["", "  ", "\0" * 300, '{"type":"message"', '{"type":"message"} {}', "null", "5", "[]", "NaN"]
)
def test_a_line_that_is_no_entry_is_passed_over(tmp_path: Path, line: str) -> None:
    assert info_of(tmp_path, session().user("a").raw(line).user("b")).message_count == 2


@pytest.mark.parametrize(
    "line",
    [
        r'{"\u0074ype":"m\u0065ssage","message":{"r\u006fle":"us\u0065r","content":"x","timestamp":1800000000000}}',
        '{"type":"label","type":"message","message":5,"message":{"role":"user","content":"x","timestamp":1800000000000}}',
        '{"type":5,"message":{"role":null,"role":"user","timestamp":1800000000000,"content":"x"},"type":"message"}',
        '  {"message":{"timestamp":18e11,"content":[{"text":"x","type":"text"}],"role":"user"} , "type":"message"}\t',
    ],
)
def test_an_odd_spelling_counts_like_the_usual_one(tmp_path: Path, line: str) -> None:
    info = info_of(tmp_path, session().raw(line))

    assert (info.message_count, info.first_message, info.modified) == (1, "x", "2027-01-15T08:00:00.000Z")


def test_lone_surrogates_and_broken_bytes_are_text(tmp_path: Path) -> None:
    story = session().raw(rb'{"type":"message","message":{"role":"user","content":"a\ud800b' + b'\xff"}}')

    assert info_of(tmp_path, story).first_message == "a\ud800b\ufffd"


def test_a_nested_line_deeper_than_the_stack_is_counted(tmp_path: Path) -> None:
    deep = '{"type":"message","message":{"role":"user","content":"x","details":' + "[" * 5000 + "]" * 5000 + "}}"

    assert info_of(tmp_path, session().raw(deep)).message_count == 1


def test_the_last_line_may_lack_its_newline(tmp_path: Path) -> None:
    assert info_of(tmp_path, session().user("a").user("b").without_final_newline()).message_count == 2


def test_bad_lines_may_stand_before_the_header(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"not json\nnull\n" + session("mine").data.removesuffix(b"\n"))

    assert listed(path).id == "mine"


def test_files_that_are_no_sessions_are_left_out(tmp_path: Path) -> None:
    contents = {
        "empty": "",
        "text": "hello\nworld\n",
        "array": "[1,2]\n",
        "other": '{"type":"summary"}\n{"type":"session"}',
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.jsonl").write_text(content)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")

    assert list_sessions(sorted(tmp_path.iterdir())) == []


def test_a_header_far_below_another_entry_makes_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_BLOCK", 64)
    (tmp_path / "s.jsonl").write_bytes(
        b'{"type":"summary","summary":"of another tool, and a long one"}\n' + talk().data
    )

    assert list_sessions([tmp_path / "s.jsonl"]) == []


def test_a_line_longer_than_a_block_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_BLOCK", 64)
    story = session().user("x" * 1000).assistant("y").user("z" * 100)

    info = info_of(tmp_path, story)

    assert (info.message_count, info.first_message) == (3, "x" * 1000)


def test_each_file_that_is_read_is_told(tmp_path: Path) -> None:
    paths = [session().write(tmp_path / "a.jsonl"), tmp_path / "missing.jsonl", session().write(tmp_path / "b.jsonl")]
    ticks: list[None] = []

    list_sessions(paths, tick=lambda: ticks.append(None))

    assert len(ticks) == 2


def some_infos(tmp_path: Path) -> list[SessionInfo]:
    (tmp_path / "app").mkdir()
    (tmp_path / "link").symlink_to("app")
    stories = [
        session("aa11", str(tmp_path / "app")).name("Fix the Parser").user("a"),
        session("aa22", str(tmp_path / "link")).user("a").user("b"),
        session("bb11", None),
    ]
    paths = [story.write(tmp_path / f"{number}.jsonl") for number, story in enumerate(stories)]
    return sorted(list_sessions(paths), key=lambda info: info.id)


def selected(tmp_path: Path, **wanted: Any) -> list[str]:
    return [info.id for info in SessionFilter(**wanted).select(some_infos(tmp_path))]


def test_a_filter_without_wishes_takes_all(tmp_path: Path) -> None:
    assert selected(tmp_path) == ["aa11", "aa22", "bb11"]


def test_sessions_of_a_directory_are_found_under_each_of_its_names(tmp_path: Path) -> None:
    assert selected(tmp_path, cwd=str(tmp_path / "app")) == ["aa11", "aa22"]


def test_a_part_of_the_name_is_enough_in_any_case(tmp_path: Path) -> None:
    assert selected(tmp_path, name="the pars") == ["aa11"]


def test_the_start_of_the_id_is_enough(tmp_path: Path) -> None:
    assert selected(tmp_path, session_id="aa") == ["aa11", "aa22"]


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ({"since": parse_ms(time_of(2))}, ["aa11", "aa22"]),
        ({"until": parse_ms(time_of(1))}, ["bb11"]),
        ({"since": parse_ms(time_of(0)), "until": parse_ms(time_of(2))}, ["aa11", "aa22", "bb11"]),
    ],
)
def test_times_are_those_of_the_last_message(tmp_path: Path, wanted: dict[str, float], ids: list[str]) -> None:
    assert selected(tmp_path, **wanted) == ids


def test_a_version_1_file_is_listed_as_it_stands(tmp_path: Path) -> None:
    info = info_of(tmp_path, talk().version(1))

    assert (info.message_count, info.first_message) == (9, "Where is the parser?")


def test_created_is_utc(tmp_path: Path) -> None:
    assert info_of(tmp_path, session(timestamp="2026-03-01T13:00:00+01:00")).created == "2026-03-01T12:00:00.000Z"
