import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, id_of, session
from running import Pisess, unchanged

Find = Callable[..., list[Any]]

READ = {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "src/parser.py"}}
TOKEN = "np" + "m_" + "aB3" * 12


def parser() -> SessionBuilder:
    """A session with an abandoned branch, a tool call, a label and a name."""
    s = session("parser", "/home/me/parser").user("please fix the Parser").assistant("I read it", READ)
    s = s.result("def parse(): pass", tool="read").label("good").user("try a regex").branch_at("I read it")
    return s.user("without a regex").name("The parser")


def website() -> SessionBuilder:
    return session("website", "/home/me/website").user("a dark mode").assistant("done, 100% [bold]dark[/bold]")


@pytest.fixture
def sessions(pisess: Pisess) -> Path:
    """Two sessions in a directory of their own, the website's modified last."""
    folder = pisess.home / "sessions"
    folder.mkdir()
    for place, (name, made) in enumerate((("parser", parser()), ("website", website()))):
        file = made.write(folder / f"{name}.jsonl")
        os.utime(file, ns=(0, (1_700_000_000 + place) * 10**9))
    return folder


@pytest.fixture
def find(pisess: Pisess, sessions: Path) -> Find:
    """Gives what `find --json` prints."""

    def run(*args: str, **options: Any) -> list[Any]:
        result = pisess("--session-dir", sessions, "find", "--json", *args, **options)
        assert result.code == (0 if result.lines else 1), result.err
        return [json.loads(line) for line in result.lines]

    return run


def ids(found: list[Any]) -> set[str]:
    return {info["id"] for info in found}


# The list of sessions.


def test_without_a_text_all_sessions_are_listed(find: Find, sessions: Path) -> None:
    found = {info["id"]: info for info in find()}

    assert set(found) == {"parser", "website"}
    assert found["parser"] == {
        "path": str(sessions / "parser.jsonl"),
        "id": "parser",
        "cwd": "/home/me/parser",
        "name": "The parser",
        "parentSession": None,
        "created": found["parser"]["created"],
        "modified": found["parser"]["modified"],
        "messageCount": 5,
        "firstMessage": "please fix the Parser",
    }


def test_in_a_pipe_the_columns_of_the_list_are_separated_by_tabs(pisess: Pisess, sessions: Path) -> None:
    [line] = pisess.ok("--session-dir", sessions, "find", "--name", "parser", "--date", "unix").lines

    path, session_id, modified, count, cwd, title = line.split("\t")
    assert (path, session_id, count) == (str(sessions / "parser.jsonl"), "parser", "5")
    assert modified.isdecimal()
    assert (cwd, title) == ("/home/me/parser", "The parser")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--cwd", "/home/me/website"], {"website"}),
        (["--name", "PARSER"], {"parser"}),
        (["--id", "web"], {"website"}),
        (["--since", "1970-01-02"], {"parser", "website"}),
        (["--until", "1970-01-02"], set()),
        (["--file", "parser.py"], {"parser"}),
        (["--label", "good"], {"parser"}),
        (["--tool", "read"], {"parser"}),
        (["--type", "label"], {"parser"}),
        (["--role", "toolResult"], {"parser"}),
        (["--model", "no-such-model"], set()),
    ],
)
def test_options_choose_sessions(find: Find, options: list[str], expected: set[str]) -> None:
    assert ids(find(*options)) == expected


def test_here_chooses_the_sessions_of_this_directory(pisess: Pisess, find: Find, sessions: Path) -> None:
    session("here", str(pisess.project)).user("hi").write(sessions / "here.jsonl")

    assert ids(find("--here", cwd=pisess.project)) == {"here"}


@pytest.mark.parametrize(
    ("key", "first"), [("name", "website"), ("messages", "parser"), ("size", "parser"), ("cwd", "parser")]
)
def test_the_list_is_sorted_by_a_key(find: Find, key: str, first: str) -> None:
    assert find("--sort", key)[0]["id"] == first


def test_the_list_can_be_short(find: Find) -> None:
    assert len(find("-n", "1")) == 1


def test_of_the_list_the_paths_alone(pisess: Pisess, sessions: Path) -> None:
    paths = pisess.ok("--session-dir", sessions, "find", "-l").lines

    assert sorted(paths) == [str(sessions / "parser.jsonl"), str(sessions / "website.jsonl")]


def test_how_many_sessions_there_are(pisess: Pisess, sessions: Path) -> None:
    assert pisess.ok("--session-dir", sessions, "find", "-c").line == "2"


def test_no_session_is_no_success(pisess: Pisess, tmp_path: Path) -> None:
    result = pisess("--session-dir", tmp_path / "none", "find")

    assert (result.code, result.out) == (1, "")


# The search.


def test_a_hit_is_the_line_with_its_entry(find: Find, sessions: Path) -> None:
    [hit] = find("dark mode")

    assert hit == {
        "path": str(sessions / "website.jsonl"),
        "session": "website",
        "entry": website().id("a dark mode"),
        "type": "message",
        "role": "user",
        "timestamp": hit["timestamp"],
        "line": "a dark mode",
    }


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (["parser"], {"src/parser.py", "The parser"}),
        (["-i", "PARSER", "--role", "user"], {"please fix the Parser"}),
        (["100%"], {"done, 100% [bold]dark[/bold]"}),
        (["-F", "[bold]"], {"done, 100% [bold]dark[/bold]"}),
        (["-E", "regex$"], {"try a regex", "without a regex"}),
        (["regex", "--branch", "abandoned"], {"try a regex"}),
        (["regex", "--branch", "current"], {"without a regex"}),
        (["parse", "--tool", "read", "--role", "toolResult"], {"def parse(): pass"}),
        (["e", "--type", "session_info"], {"The parser"}),
        (["regex", "--until", "1970-01-02"], set()),
    ],
)
def test_what_is_found(find: Find, args: list[str], lines: set[str]) -> None:
    assert {hit["line"] for hit in find(*args)} == lines


def test_a_hit_tells_its_branch_when_asked(find: Find) -> None:
    branches = {hit["line"]: hit["branch"] for hit in find("regex", "--branch", "any")}

    assert branches == {"try a regex": "abandoned", "without a regex": "current"}


def test_the_files_with_hits_alone(pisess: Pisess, sessions: Path) -> None:
    assert pisess.ok("--session-dir", sessions, "find", "regex", "-l").line == str(sessions / "parser.jsonl")


def test_how_many_lines_match_in_each_file(pisess: Pisess, sessions: Path) -> None:
    assert pisess.ok("--session-dir", sessions, "find", "regex", "-c").line == f"{sessions / 'parser.jsonl'}\t2"


def test_nothing_found_is_no_success(pisess: Pisess, sessions: Path) -> None:
    result = pisess("--session-dir", sessions, "find", "no such words")

    assert (result.code, result.out) == (1, "")


def test_two_ways_of_reading_the_text_are_wrong_usage(pisess: Pisess, sessions: Path) -> None:
    pisess.fail("--session-dir", sessions, "find", "-F", "-E", "x", code=2)


def test_a_bad_expression_is_wrong_usage(pisess: Pisess, sessions: Path) -> None:
    assert "regular expression" in pisess.fail("--session-dir", sessions, "find", "-E", "(", code=2)


@pytest.mark.parametrize("args", [[], ["regex"], ["--label", "good"]])
def test_finding_changes_no_session(pisess: Pisess, sessions: Path, args: list[str]) -> None:
    with unchanged(sessions):
        pisess.ok("--session-dir", sessions, "find", *args)


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    session("leaky").user(f"it is {TOKEN}").assistant("thanks").write(tmp_path / "leaky.jsonl")
    session("tight").user("nothing").write(tmp_path / "tight.jsonl")
    return tmp_path


def test_likely_secrets_are_found_and_not_shown(pisess: Pisess, leaky: Path) -> None:
    result = pisess.ok("--session-dir", leaky, "find", "--secrets")

    assert result.line == f"{leaky}/leaky.jsonl\t{id_of(1)}\tuser\tnpm-token {TOKEN[:8]}…"
    assert TOKEN not in pisess.ok("--session-dir", leaky, "find", "--secrets", "--json").out
    assert pisess.ok("--session-dir", leaky, "find", "--secrets", "-l").lines == [f"{leaky}/leaky.jsonl"]
    assert pisess("--session-dir", leaky, "find", "--secrets", "--role", "assistant").code == 1


def test_secrets_are_searched_for_without_a_text(pisess: Pisess, leaky: Path) -> None:
    assert "--secrets takes no TEXT" in pisess.fail("--session-dir", leaky, "find", "--secrets", "foo", code=2)
