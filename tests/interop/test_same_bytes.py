"""The same calls on Pi's SessionManager and on pisess's give the same file: key order and all, but for ids and times."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interop.pi import Pi
from pisess_cli.core.errors import PisessError
from pisess_cli.core.manager import SessionManager

Call = Sequence[Any]

UNDEFINED = {"$undefined": True}
REFUSED = "refused"

USAGE = {
    "input": 100,
    "output": 10,
    "cacheRead": 5,
    "cacheWrite": 0,
    "totalTokens": 115,
    "cost": {"input": 0.25, "output": 0.5, "cacheRead": 0, "cacheWrite": 0, "total": 0.75},
}
BASH = {"name": "bash", "description": "Runs", "parameters": {"type": "object"}}
SYSTEM = {
    "role": "system",
    "content": "Be brief",
    "sections": {"rules": "None", "cwd": "/p"},
    "toolsAdded": [BASH],
    "timestamp": 1,
}
USER = {"role": "user", "content": [{"type": "text", "text": "Héllo\u2028 \U0001f642 \x7f\x1b"}], "timestamp": 2}
ASSISTANT = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"},
        {"type": "text", "text": "Yes"},
        {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "a.py"}},
    ],
    "api": "openai-completions",
    "provider": "standin",
    "model": "fake-1",
    "usage": USAGE,
    "stopReason": "toolUse",
    "timestamp": 3,
}
TOOL_RESULT = {
    "role": "toolResult",
    "toolCallId": "call_1",
    "toolName": "read",
    "content": [{"type": "text", "text": "pass"}],
    "isError": False,
    "timestamp": 4,
}
BASH_EXECUTION = {
    "role": "bashExecution",
    "command": "ls",
    "output": "a.py",
    "exitCode": 0,
    "cancelled": False,
    "truncated": False,
    "timestamp": 5,
}
CUSTOM = {"role": "custom", "customType": "note", "content": "x", "display": True, "details": {"k": 1}, "timestamp": 6}

CONVERSATION: list[Call] = [
    ["appendModelChange", "standin", "fake-1"],
    ["appendThinkingLevelChange", "high"],
    ["appendMessage", SYSTEM],
    ["appendMessage", USER],
    ["appendMessage", ASSISTANT],
    ["appendMessage", TOOL_RESULT],
    ["appendMessage", BASH_EXECUTION],
    ["appendMessage", CUSTOM],
]
THE_USER, THE_ASSISTANT, THE_TOOL_RESULT = {"$result": 3}, {"$result": 4}, {"$result": 5}


def pi_calls(pi: Pi, start: Call, calls: Sequence[Call]) -> tuple[list[Any], Path]:
    """Return what each call gave (`REFUSED` where Pi threw) and the session's file."""
    answer = pi.call_session_manager([str(word) for word in start], calls)
    refused = [REFUSED if isinstance(r, dict) and "error" in r else r for r in answer["results"]]
    return refused, Path(answer["file"])


def pisess_calls(start: Call, calls: Sequence[Call]) -> tuple[list[Any], Path]:
    """Return the same of pisess's session manager."""
    how, *where = start
    manager = getattr(SessionManager, snake_case(how))(*where)
    results: list[Any] = []
    for name, *args in calls:
        try:
            results.append(getattr(manager, snake_case(name))(*(python_value(arg, results) for arg in args)))
        except PisessError:
            results.append(REFUSED)
    return results, Path(manager.get_session_file())


def python_value(arg: Any, results: list[Any]) -> Any:
    """Return an argument with its references followed."""
    if arg == UNDEFINED:
        return None
    if isinstance(arg, dict) and "$result" in arg:
        return results[arg["$result"]]
    return arg


def snake_case(name: str) -> str:
    """Return Pi's method name as Python spells it."""
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def lines_of(session: Path) -> list[str]:
    """Return a file's lines with ids numbered in file order and the times of writing blanked."""
    text = session.read_text(encoding="utf-8")
    ids = [json.loads(line)["id"] for line in text.split("\n") if line]
    for number, entry_id in enumerate(ids):
        text = text.replace(f'"{entry_id}"', f'"<id {number}>"')
    text = re.sub(r'"timestamp":"[^"]+Z"', '"timestamp":"<time>"', text)
    return re.sub(r'"timestamp":\d{13}\b', '"timestamp":<time>', text).split("\n")


def assert_same_file(pi: Pi, tmp_path: Path, calls: Sequence[Call]) -> None:
    _, by_pi = pi_calls(pi, ["create", pi.project, tmp_path / "pi"], calls)
    _, by_pisess = pisess_calls(["create", pi.project, tmp_path / "pisess"], calls)

    assert lines_of(by_pisess) == lines_of(by_pi)


def test_messages_and_settings(pi: Pi, tmp_path: Path) -> None:
    assert_same_file(pi, tmp_path, CONVERSATION)


def test_entries_beside_the_conversation(pi: Pi, tmp_path: Path) -> None:
    extras: list[Call] = [
        ["appendUsage", "cache_warm", "standin", "fake-1", USAGE],
        ["appendUsage", "cache_warm", "standin", "fake-1", USAGE, "a note"],
        ["appendUsage", "cache_warm", "standin", "fake-1", USAGE, ""],
        ["appendCustomEntry", "state", {"a": [1, None, True]}],
        ["appendCustomEntry", "state"],
        ["appendCustomMessageEntry", "note", "text", True],
        ["appendCustomMessageEntry", "note", [{"type": "text", "text": "text"}], False, {"k": 1}],
        ["appendSessionInfo", " a\r\n\nname\u00a0\ufeff"],
        ["appendSessionInfo", ""],
        ["appendLabelChange", THE_USER, "here"],
        ["appendLabelChange", THE_USER, ""],
        ["appendLabelChange", THE_USER, UNDEFINED],
    ]

    assert_same_file(pi, tmp_path, [*CONVERSATION, *extras])


def test_context_edits(pi: Pi, tmp_path: Path) -> None:
    edits: list[Call] = [
        ["appendContextEdit", THE_USER, None],
        ["appendContextEdit", THE_USER, {"content": "other words"}],
        ["appendContextEdit", THE_ASSISTANT, {"content": "other words", "extra": 1}],
        ["appendContextEdit", THE_TOOL_RESULT, {"content": [{"type": "text", "text": "cut"}], "extra": 1}],
    ]

    assert_same_file(pi, tmp_path, [*CONVERSATION, *edits])


def test_compactions(pi: Pi, tmp_path: Path) -> None:
    files = {"readFiles": ["a.py"], "modifiedFiles": []}
    compactions: list[Call] = [
        ["appendCompaction", "the story", THE_ASSISTANT, 1234, files, False, USAGE],
        [
            "appendMessage",
            SYSTEM | {"content": "Be longer", "sections": {"cwd": None, "docs": "here"}, "toolsAdded": []},
        ],
        ["appendMessage", USER],
        ["appendCompaction", "all of it", None, 99, files, True],
    ]

    assert_same_file(pi, tmp_path, [*CONVERSATION, *compactions])


def test_branches(pi: Pi, tmp_path: Path) -> None:
    files = {"readFiles": [], "modifiedFiles": ["a.py"]}
    moves: list[Call] = [
        ["branch", THE_ASSISTANT],
        ["appendMessage", USER],
        ["branchWithSummary", THE_USER, "tried", files, False, USAGE],
        ["branchWithSummary", None, "tried again", files, True],
        ["resetLeaf"],
        ["appendMessage", USER],
    ]

    assert_same_file(pi, tmp_path, [*CONVERSATION, *moves])


def test_values_as_javascript_writes_them(pi: Pi, tmp_path: Path) -> None:
    values = {
        "numbers": [1.0, 1.5, -0.0, 1e21, 1e-7, 123456789012345680000, 0.1],
        "strings": ["\ud800", "é", "\u2028", "\u0000", "</script>", "\x7f", '"\\/\b\f\n\r\t'],
        "b": 1,
        "2": 2,
        "1": 3,
    }

    assert_same_file(pi, tmp_path, [["appendMessage", USER], ["appendCustomEntry", "values", values]])


def test_nothing_is_written_before_a_user_or_assistant_message(pi: Pi, tmp_path: Path) -> None:
    quiet: list[Call] = [["appendMessage", SYSTEM], ["appendCustomMessageEntry", "note", "text", True]]

    _, by_pi = pi_calls(pi, ["create", pi.project, tmp_path / "pi"], quiet)
    _, by_pisess = pisess_calls(["create", pi.project, tmp_path / "pisess"], quiet)

    assert not by_pi.exists()
    assert not by_pisess.exists()


def test_the_path_to_an_entry_as_a_session_of_its_own(pi: Pi, tmp_path: Path) -> None:
    calls: list[Call] = [
        *CONVERSATION,
        ["appendLabelChange", THE_USER, "first"],
        ["appendCompaction", "the story", {"$result": 8}, 1234, {"readFiles": [], "modifiedFiles": []}, False],
        ["appendMessage", USER],
        ["appendLabelChange", THE_ASSISTANT, "second"],
        ["createBranchedSession", {"$result": 10}],
    ]
    start = ["create", pi.project]
    _, by_pi = pi_calls(pi, [*start, tmp_path / "pi"], calls)
    _, by_pisess = pisess_calls([*start, tmp_path / "pisess"], calls)

    sources = re.compile(r'"parentSession":"[^"]+"')
    [pi_lines, pisess_lines] = [[sources.sub("<source>", line) for line in lines_of(f)] for f in (by_pi, by_pisess)]
    assert pisess_lines == pi_lines


def test_a_fork_of_what_pi_wrote(pi: Pi, tmp_path: Path, session: Path) -> None:
    other = pi.new_project("other")

    _, by_pi = pi_calls(pi, ["forkFrom", session, other, tmp_path / "pi"], [])
    _, by_pisess = pisess_calls(["forkFrom", session, other, tmp_path / "pisess"], [])

    assert lines_of(by_pisess) == lines_of(by_pi)


def test_what_pi_refuses_is_refused(pi: Pi, tmp_path: Path) -> None:
    calls: list[Call] = [
        *CONVERSATION,
        ["appendLabelChange", "no-such-id", "here"],
        ["branch", "no-such-id"],
        ["branchWithSummary", "no-such-id", "tried"],
        ["appendContextEdit", THE_USER, {"content": 5}],
        ["appendContextEdit", THE_USER, "words"],
        ["appendContextEdit", "no-such-id", None],
        ["appendContextEdit", {"$result": 0}, None],
        ["appendContextEdit", {"$result": 7}, None],
        ["branch", THE_USER],
        ["appendContextEdit", THE_ASSISTANT, None],
        ["createBranchedSession", "no-such-id"],
    ]

    by_pi, _ = pi_calls(pi, ["create", pi.project, tmp_path / "pi"], calls)
    by_pisess, _ = pisess_calls(["create", pi.project, tmp_path / "pisess"], calls)

    refused = [(call, result == REFUSED) for call, result in zip(calls, by_pi, strict=True)]
    assert [(call, result == REFUSED) for call, result in zip(calls, by_pisess, strict=True)] == refused
    assert sum(is_refused for _, is_refused in refused) == 10
