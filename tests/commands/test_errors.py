"""Whatever a file holds and wherever it is: an answer, or one line that says what is wrong, and exit code 1."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import hostile
from builder import SessionBuilder, id_of, session, talk
from running import Pisess, Result, unchanged

DEEP = 200_000

READING = [
    ["log"],
    ["log", "--graph", "--all"],
    ["log", "--all", "--full", "-p", "--stat"],
    ["log", "--json", "--full", "--all"],
    ["log", "--format", "%H%h%p%t%r%s%b%ad%ar%at%d%T%c%m", "--all", "--full"],
    ["log", "--grep", "x", "--since", "2020-01-01"],
    ["show"],
    ["show", "LEAF"],
    ["show", "ROOT"],
    ["show", "--raw"],
    ["show", "--json"],
    ["show-context"],
    ["show-context", "--system"],
    ["show-context", "--json"],
    ["show-context", "--llm"],
    ["show-context", "--tokens"],
    ["show-context", "--explain"],
    ["show-context", "--explain", "--json"],
    ["branch"],
    ["branch", "-v"],
    ["branch", "--json"],
    ["branch", "--contains", "LEAF"],
    ["label"],
    ["label", "--json"],
    ["checkout", "--dry-run", "HEAD~1"],
    ["checkout", "--dry-run", "--before", "HEAD"],
    ["checkout", "--dry-run", "--tip", "ROOT"],
    ["compact", "--dry-run", "--keep-recent", "1"],
    ["compact", "--dry-run", "--keep-none", "--json"],
    ["fork", "--dry-run", "--at", "HEAD"],
    ["continue", "--print"],
]

WRITING = [
    ["label", "mine"],
    ["label", "-f", "mine", "HEAD~1"],
    ["branch", "other", "LEAF"],
    ["branch", "--at", "HEAD~1"],
    ["checkout", "--root"],
    ["checkout", "HEAD~1", "-m", "left"],
    ["compact", "--keep-none", "-m", "sum"],
    ["fork"],
    ["fork", "--at", "LEAF", "--name", "fork"],
]

reading = pytest.mark.parametrize("command", READING, ids=" ".join)
writing = pytest.mark.parametrize("command", WRITING, ids=" ".join)
every = pytest.mark.parametrize("command", [*READING, *WRITING], ids=" ".join)


@pytest.fixture(autouse=True)
def _sessions(pisess: Pisess) -> None:
    pisess.env["PISESS_SESSION_DIR"] = str(pisess.home / "sessions")


def is_an_answer(result: Result) -> bool:
    """Whether it succeeded, or failed in words of ours."""
    return result.code == 0 or (
        result.code == 1 and result.err.startswith("pisess: ") and "internal fault" not in result.err
    )


# What is no session.


def directory(path: Path) -> None:
    path.mkdir()


def content(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


NO_SESSIONS: dict[str, Callable[[Path], object]] = {
    "empty": content(b""),
    "newline": content(b"\n"),
    "binary": content(bytes(range(256)) * 50),
    "zeros": content(b"\0" * 9000),
    "text": content(b"hello\nworld\n"),
    "array": content(b"[1,2]\n"),
    "other tool": content(b'{"type":"summary","summary":"x"}\n{"type":"user"}\n'),
    "no header": content(b'{"type":"message","id":"a"}\n'),
    "headless id": content(b'{"type":"session","id":5}\n'),
    "bom": content(b"\xef\xbb\xbf" + talk().data),
    "utf-16": content(talk().data.decode().encode("utf-16")),
    "directory": directory,
    "fifo": os.mkfifo,
    "missing": lambda _: None,
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "circular link": lambda path: path.symlink_to(path),
    "below a file": lambda path: path.parent.rmdir() or path.parent.write_bytes(b"x"),  # type: ignore[func-returns-value]  # the second step
}


@pytest.mark.parametrize("kind", NO_SESSIONS)
def test_what_is_no_session_is_named_in_one_line_and_left_alone(pisess: Pisess, kind: str) -> None:
    path = pisess.home / "folder" / "odd.jsonl"
    path.parent.mkdir()
    NO_SESSIONS[kind](path)
    pisess.use(path)

    with unchanged(pisess.home):
        for command in [*READING, *WRITING]:
            said = pisess.fail(*command)
            assert str(path) in said.split("\n")[0]


@pytest.mark.parametrize("command", [["log"], ["show"], ["label", "x"], ["fork"], ["compact", "-m", "x"]], ids=" ".join)
def test_what_one_may_not_read_is_an_error(pisess: Pisess, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    path = pisess.use(talk())
    really_open = os.open

    def refuse(name: os.PathLike[str] | str, *args: int, **more: int) -> int:
        if os.fspath(name) == str(path):
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return really_open(name, *args, **more)

    # Whoever runs the tests may be allowed to read everything.
    monkeypatch.setattr(os, "open", refuse)

    assert f"permission denied ({path})" in pisess.fail(*command)


# What is a session, but an odd one.


ODD_SESSIONS: dict[str, SessionBuilder] = {
    "nothing said": session(),
    "bookkeeping alone": session().model("a", "b").label("x").name("y"),
    "torn last line": talk().torn(),
    "no final newline": talk().without_final_newline(),
    "own parent": session().user("a").user("b").hang("a", under="a"),
    "cycle": session().user("a").user("b").user("c").hang("a", under="c"),
    "cycle of bookkeeping": session().custom("x").custom("y").user("a").hang(id_of(1), under=id_of(2)),
    "orphans": session().user("a", parentId="x").entry("message", parentId="unknown!"),
    "duplicate ids": talk().again("Rewrite it.").again("Rewrite it."),
    "no ids": session().entry("message", id=..., parentId=...).entry("message", id=..., parentId=...),
    "odd ids": session().entry("message", id=5).entry("message", id=[]).entry("message", id="", parentId=5),
    "odd types": session().entry(5).entry(None).entry([]).entry({}).entry(""),
    "odd values": session().user("a").raw("5").raw('"x"').raw("[]").raw("true").raw("null"),
    "bad lines": session().user("a").raw(b"\0" * 400).raw(b"\xff\xfe").raw("{").raw("NaN").user("b"),
    "second header": session().user("a").raw('{"type":"session","id":"again"}').user("b"),
    "no messages": session().entry("message").entry("message", message=None).entry("message", message=5),
    "odd content": session().message("user", {"a": 1}).message("assistant", [None, 5, {"type": "toolCall"}]),
    "odd times": session().user("a").entry("message", timestamp=1e300).entry("message", timestamp={}),
    "far times": session().entry("message", timestamp="9999-12-31T23:59:59Z", message={"role": "user"}),
    "half characters": session().raw('{"type":"message","id":"\\ud800","message":{"role":"user","content":"\\udc00"}}'),
    "deep json": session().raw(b'{"type":"message","id":"deep","message":' + b"[" * 5000 + b"]" * 5000 + b"}"),
    "huge numbers": session().raw('{"type":"custom","id":"n","data":[1e400,' + "9" * 5000 + "]}").user("b"),
    "long keys": session().raw('{"type":"custom","id":"n","data":{"' + "9" * 5000 + '":1}}').user("b"),
    "long line": session().user("x" * 1_000_000),
    "odd compaction": session().user("a").entry("compaction", summary=5, firstKeptEntryId={}, details=[1]).user("b"),
    "odd edit": session().user("a").edit("a", 5).entry("context_edit", targetId=[]).entry("context_edit"),
    "odd labels": session().user("a").label({"a": 1}).label(5, on="a").label(True, on="a").label("\ud83d", on="a"),
    "odd header": session(cwd=None, parentSession=5, version={}).user("a"),
    "cwd with nul": session(cwd="/a\0b").user("a"),
    "cwd of half characters": session(cwd="/a\ud800").user("a"),
    "relative cwd": session(cwd="a/../b").user("a"),
    "empty cwd": session(cwd="").user("a"),
    "id of half characters": session("\ud800").user("a"),
    "version 1": talk().version(1),
    "version 2": talk().version(2),
    "version 9": talk().version(9),
    "windows line ends": session().raw(session().user("a").lines[1] + b"\r").raw(b"\r"),
}


@pytest.mark.parametrize("kind", ODD_SESSIONS)
def test_an_odd_session_is_read_without_being_changed(pisess: Pisess, kind: str) -> None:
    pisess.use(ODD_SESSIONS[kind])

    with unchanged(pisess.home):
        for command in READING:
            assert is_an_answer(pisess(*command)), command


@pytest.mark.parametrize("kind", ODD_SESSIONS)
def test_an_odd_session_is_written_to_without_losing_a_line(pisess: Pisess, kind: str) -> None:
    odd = ODD_SESSIONS[kind]
    is_old = odd.header["version"] in (1, 2)
    for command in WRITING:
        path = pisess.use(odd)
        before = path.read_bytes()

        assert is_an_answer(pisess(*command)), command
        if not is_old:
            assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("seed", range(12))
def test_a_session_of_any_json_is_answered(pisess: Pisess, seed: int) -> None:
    path = pisess.home / "session.jsonl"
    data = hostile.header() + hostile.Maker(seed).body(30)
    path.write_bytes(data)
    pisess.use(path)

    with unchanged(pisess.home):
        for command in READING:
            assert is_an_answer(pisess(*command)), command
    for command in WRITING:
        assert is_an_answer(pisess(*command)), command
    assert path.read_bytes().startswith(data)


# Size.


@pytest.fixture(scope="session")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One chain of very many entries."""
    path = tmp_path_factory.mktemp("deep") / "deep.jsonl"
    header, first = session(cwd="/").user("0").lines
    line = (
        first.decode().replace(id_of(1), "%08x").replace('"parentId":null', '"parentId":"%08x"').replace('"0"', '"%d"')
    )
    chain = (line % (number, number - 1, number) for number in range(1, DEEP))
    path.write_bytes(header + b"\n" + first.replace(id_of(1).encode(), b"00000000") + b"\n")
    with path.open("a") as file:
        file.writelines(f"{entry}\n" for entry in chain)
    return path


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (["log", "-n", "1", "--format", "%s"], f"{DEEP - 1}\n"),
        (["log", "--graph", "--all", "-n", "1", "--format", "%s"], f"* {DEEP - 1}\n"),
        (["branch", "--json"], f'"entries":{DEEP},'),
        (["show", "--raw", f"HEAD~{DEEP - 1}"], "0\n"),
        (["show-context", "--tokens"], "\n"),
        (["checkout", "--dry-run", f"HEAD~{DEEP - 1}"], "would move the leaf to 00000000 (0)"),
        (["compact", "--dry-run", "--keep-none", "--json"], '"firstKeptEntryId":null'),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_a_very_long_chain_is_answered(pisess: Pisess, deep: Path, command: list[str], answer: str) -> None:
    pisess.use(deep)

    result = pisess.ok(*command)

    assert answer in result.out + result.err


def test_a_path_of_a_very_long_chain_is_forked(pisess: Pisess, deep: Path) -> None:
    pisess.use(deep)

    made = pisess.ok("fork", "--at", f"{DEEP - 2:08x}").line

    assert pisess.ok("-s", made, "log", "-n", 1, "--format", "%s").line == str(DEEP - 2)
