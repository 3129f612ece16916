from collections.abc import Callable

import pytest

from builder import call, every_kind, id_of, session, talk, text
from running import Pisess, unchanged

Golden = Callable[[str, str], None]


def test_the_newest_history_entry_is_shown_if_none_is_named(pisess: Pisess) -> None:
    s = session().user("hi").user("last").label("x")
    pisess.use(s)

    assert pisess.ok("show", "--raw").out == "last\n"


@pytest.mark.parametrize(
    ("revision", "words"),
    [
        ("HEAD", "Renamed."),
        ("HEAD~2", "In src/parser.py."),
        ("HEAD^", "Only rename it."),
        ("found", "In src/parser.py."),
        ("000a", "Done, but slow."),
        ("HEAD^{toolResult}", "def parse(): ..."),
        (":/slow", "Done, but slow."),
    ],
)
def test_an_entry_is_named_as_git_names_commits(pisess: Pisess, revision: str, words: str) -> None:
    pisess.use(talk())

    assert pisess.ok("show", "--raw", revision).line == words


def test_an_entry_of_another_session_can_be_shown(pisess: Pisess) -> None:
    pisess.use(talk())
    other = session("other").user("there").write(pisess.home / "other.jsonl")

    assert pisess.ok("show", "--raw", f"{other}:HEAD").line == "there"


@pytest.mark.parametrize("number", range(1, 20))
def test_every_kind_of_entry_is_shown_in_full(pisess: Pisess, golden: Golden, number: int) -> None:
    pisess.use(every_kind())

    golden(f"show-{number:02d}", pisess.ok("show", id_of(number), "--date=unix").out)


def test_a_label_and_head_are_shown(pisess: Pisess) -> None:
    pisess.use(session().user("hi").label("good"))

    assert pisess.ok("show", "--date=unix").lines[0].endswith("(HEAD, good)")


def test_the_whole_of_long_arguments_is_shown(pisess: Pisess) -> None:
    pisess.use(session().assistant("", call("write", path="/x", content="first\nsecond\n" + "x" * 300)))

    shown = pisess.ok("show").lines

    assert [line.strip() for line in shown[2:]] == ["path: /x", "content:", "first", "second", "x" * 300]


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        ({"exitCode": 0}, "< bash (exit code 0)"),
        ({"exitCode": ..., "cancelled": True}, "< bash (cancelled)"),
        (
            {"exitCode": 1, "truncated": True, "fullOutputPath": "/tmp/a\x1b[31m.log"},
            "< bash (exit code 1, output truncated: all of it is in /tmp/a␛[31m.log)",
        ),
        ({"exitCode": 1, "truncated": True}, "< bash (exit code 1, output truncated)"),
        ({"excludeFromContext": True}, "< bash (exit code 0, not for the model)"),
        ({"exitCode": None}, "< bash"),
        ({"exitCode": {"a": [1]}}, '< bash (exit code {"a":[1]})'),
    ],
)
def test_how_a_shell_command_ended_is_shown(pisess: Pisess, outcome: dict[str, object], line: str) -> None:
    fields = {"exitCode": 0, "cancelled": False, "truncated": False, **outcome}
    message = {"role": "bashExecution", "command": "ls", "output": "a", **fields}
    s = session().entry("message", message={key: value for key, value in message.items() if value is not ...})
    pisess.use(s)

    assert pisess.ok("show").lines[1:] == [f"    {line}", "    $ ls", "    a"]


def test_the_root_is_the_header(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "cwd: /home/me/app" in pisess.ok("show", "ROOT").out


# JSON and text.


def test_json_is_the_line_as_it_stands(pisess: Pisess) -> None:
    odd = '{"type":"message", "id":"odd1","n":1.0,"big":12345678901234567890,"e":"\\u0041","s":"\\ud800"}'
    pisess.use(session().raw(odd))

    assert pisess.ok("show", "--json", "odd1").line == odd


def test_the_json_of_the_root_is_the_header_as_it_stands(pisess: Pisess) -> None:
    s = talk()
    pisess.use(s)

    assert pisess.ok("show", "--json", "ROOT").line == s.lines[0].decode()


def test_raw_is_the_text_alone(pisess: Pisess) -> None:
    pisess.use(session().message("user", [text("a\n\nb"), {"type": "image"}, text("\x1b[31mc")]))

    assert pisess.ok("show", "--raw").out == "a\n\nb\n\x1b[31mc\n"


# What cannot be shown.


def test_an_ambiguous_prefix_fails_and_lists_its_candidates(pisess: Pisess) -> None:
    pisess.use(session().user("one", id="xxxx0000").entry("message", id="abcd1111").entry("message", id="abcd2222"))

    said = pisess.fail("show", "abcd")

    assert "abcd is the start of several ids" in said
    assert "abcd1111" in said
    assert "abcd2222" in said


@pytest.mark.parametrize("revision", ["unknown", "HEAD~99", "HEAD^{compaction}", "label:unknown", ":/nobody said this"])
def test_what_names_nothing_fails_in_one_line_that_names_it(pisess: Pisess, revision: str) -> None:
    pisess.use(talk())

    assert revision.removeprefix("label:") in pisess.fail("show", revision).split("\n")[0]


@pytest.mark.parametrize("revision", ["HEAD^2", "HEAD^{robot}", ":/("])
def test_what_can_name_nothing_is_a_usage_error(pisess: Pisess, revision: str) -> None:
    pisess.use(talk())

    pisess.fail("show", revision, code=2)


@pytest.mark.parametrize("args", [[], ["--json"], ["--raw"], ["ROOT"], ["0001"]])
@pytest.mark.parametrize("version", [1, 3])
def test_showing_changes_nothing(pisess: Pisess, version: int, args: list[str]) -> None:
    pisess.use(talk().version(version).without_final_newline())

    with unchanged(pisess.home):
        pisess("show", *args)
