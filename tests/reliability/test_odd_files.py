"""What stands where a session is looked for and is none: it costs neither time nor memory, and harms no other."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from builder import session, talk
from running import Pisess, state_of

TERABYTE = 1024**4


def _hole(path: Path, start: bytes = b"") -> None:
    path.write_bytes(start)
    try:
        os.truncate(path, TERABYTE)
    except OSError as error:
        pytest.skip(f"the file system has no such large files: {error}")


ODD: dict[str, Callable[[Path], object]] = {
    "a FIFO": os.mkfifo,
    "a directory": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "endless zeros": lambda path: path.symlink_to("/dev/zero"),
    "a full device": lambda path: path.symlink_to("/dev/full"),
    "a link to a directory": lambda path: path.symlink_to("."),
    "an empty file": Path.touch,
    "a terabyte of nothing": _hole,
    "a header and a terabyte of nothing": lambda path: _hole(path, talk().data),
    "an image": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100_000)),
    "other JSON": lambda path: path.write_bytes(b'{"type":"other","id":"x"}\n' * 1000),
}


@pytest.fixture
def folder(pisess: Pisess) -> Path:
    made = pisess.home / "sessions"
    made.mkdir()
    pisess.env["PISESS_SESSION_DIR"] = str(made)
    return made


@pytest.mark.parametrize("words", ["log", "show", "show-context", "fsck", "stats", "label mark", "fork", "migrate"])
@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_session_is_refused_in_one_line(pisess: Pisess, folder: Path, kind: str, words: str) -> None:
    odd = folder / "odd.jsonl"
    ODD[kind](odd)

    said = pisess.fail("-s", odd, *words.split())

    assert str(odd) in said or words == "stats", said
    assert [path.name for path in folder.iterdir()] == ["odd.jsonl"]


@pytest.mark.parametrize(
    "words", ["find", "find hi", "find --json", "stats --all", "-s @1 log", "-s nobody log", "continue --print"]
)
def test_odd_files_do_not_keep_one_from_the_sessions_beside_them(pisess: Pisess, folder: Path, words: str) -> None:
    good = session(cwd=str(pisess.project)).user("hi").write(folder / "good.jsonl")
    alone = pisess(*words.split())
    for number, make in enumerate(ODD.values()):
        make(folder / f"odd{number}.jsonl")
    os.utime(good)

    found = pisess(*words.split())

    assert found == alone


def test_in_the_c_locale_names_that_are_not_utf8_come_out_byte_for_byte(pisess: Pisess, folder: Path) -> None:
    name = os.fsencode(folder) + b"/caf\xe9 \xff.jsonl"
    Path(os.fsdecode(name)).write_bytes(session(cwd=str(pisess.project)).user("hé 日本").data)

    def run(*words: str) -> bytes:
        return subprocess.run(
            [sys.executable, "-m", "pisess_cli", *words],
            env=pisess.env | {"LC_ALL": "C"},
            cwd=pisess.project,
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout

    assert run("find", "-l", "hé") == name + b"\n"
    assert run("continue", "--print") == name + b"\n"
    assert "hé 日本".encode() in run("-s", os.fsdecode(name), "log")
    made = run("-s", os.fsdecode(name), "label", "mark").decode().strip()
    assert json.loads(Path(os.fsdecode(name)).read_bytes().splitlines()[-1])["id"] == made


@pytest.mark.parametrize("evil", ["../../evil", "/evil", "..", "a/b", "a\0b", "-evil", "a\nb", "~", ".", ""])
def test_an_id_from_the_command_line_is_never_a_path(pisess: Pisess, folder: Path, evil: str) -> None:
    pisess.use(session(cwd=str(pisess.project)).user("hi").write(pisess.home / "other.jsonl"))
    before = state_of(pisess.home)

    said = pisess.fail("fork", f"--id={evil}", code=2)

    assert said.startswith("pisess: ")
    assert state_of(pisess.home) == before


@pytest.mark.parametrize("evil", ["../../evil", "/evil", "..", "a/b", "a\0b", "\x1b]0;x\x07", "\ud800", "-rf", ""])
def test_what_a_file_says_is_never_a_path(pisess: Pisess, folder: Path, evil: str) -> None:
    made = session(evil, evil, parentSession=evil).name(evil).user("hi").label(evil)
    source = pisess.use(pisess.home / "odd.jsonl")
    source.write_text("\n".join(json.dumps(value) for value in (made.header, *made.values)) + "\n")
    there = {path.parent for path in state_of(pisess.home)} | {folder}

    for words in (
        ["fork"],
        ["fork", "--at", "HEAD"],
        ["fork", "--to", "."],
        ["fsck", "--repair", "out"],
        ["mv", "--to", "."],
    ):
        pisess(*words)
    pisess("continue", "--print")

    # What was made stands in the session directory, or where somebody has asked for it.
    made_in = {path.parent for path in state_of(pisess.home)}
    assert made_in <= there | {pisess.project}


def test_a_session_in_a_directory_that_cannot_be_is_no_internal_fault(pisess: Pisess, folder: Path) -> None:
    made = session(cwd="a\0b").user("hi")
    file = pisess.use(pisess.home / "odd.jsonl")
    file.write_text("\n".join(json.dumps(value) for value in (made.header, *made.values)) + "\n")

    assert "not a directory that can be" in pisess.fail("fork") or "not a path" in pisess.fail("fork")


def test_an_id_that_is_an_object_has_its_place_in_a_graph(pisess: Pisess, folder: Path) -> None:
    pisess.use(session().user("hi").entry("message", id=["odd"], message={"role": "user", "content": "odd"}))

    assert "odd" in pisess.ok("log", "--graph", "--all").out


def test_a_type_that_is_an_object_is_nothing_to_undo(pisess: Pisess, folder: Path) -> None:
    pisess.use(session().user("hi").entry({"odd": 1}))

    assert "nothing to undo" in pisess.fail("undo")
