"""The writing commands that faults are tried on, each with the files that it finds, and what may be there afterwards."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from builder import SessionBuilder, talk
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.whole_file import migrated_lines
from reliability.here import Outcome, environment_of, inside, run_here

BY_PROJECT = Path(".pi/agent/sessions")
FOLDER = BY_PROJECT / "--home-me-app--"
NAME = "2026-03-01T10-00-00-000Z_01900000-0000-7000-8000-0000000000aa.jsonl"
_LONG_AGO = 1_700_000_000
_WORDS_OF_SUMMARY = "what was done, and what is next " * 200


class Operation(NamedTuple):
    """A command line, and the session that it finds. `folder`: where that is, seen from the home.

    `steps`: how many writes it consists of, each of which may be the last one that was done.
    """

    name: str
    words: tuple[str, ...]
    session: Callable[[], SessionBuilder] = talk
    folder: Path = FOLDER
    steps: int = 1


def _id(says: str) -> str:
    return talk().id(says)


def _torn() -> SessionBuilder:
    return talk().torn()


def _old(version: int) -> Callable[[], SessionBuilder]:
    return lambda: talk().compact("short", keep="Only rename it.").user("more").version(version)


OPERATIONS = [
    Operation("append", ("append", "message", "-m", "more words " * 500)),
    Operation("append after a torn line", ("append", "message", "-m", "more"), _torn),
    Operation("label", ("label", "mark")),
    Operation("label that moves", ("label", "-f", "found", _id("Renamed.")), steps=2),
    Operation("checkout", ("checkout", _id("Rewrite it."))),
    Operation("checkout with a summary", ("checkout", _id("Rewrite it."), "-m", _WORDS_OF_SUMMARY)),
    Operation("compact", ("compact", "-m", _WORDS_OF_SUMMARY, "--keep-recent", "1")),
    Operation("edit", ("edit", "--omit", _id("Only rename it."))),
    Operation("name", ("name", "a name")),
    Operation("undo", ("undo",), lambda: talk().label("mark")),
    Operation("new", ("new", "-m", "hi")),
    Operation("fork", ("fork",)),
    Operation("fork of an old version", ("fork",), _old(1)),
    Operation("fork with a name", ("fork", "--name", "second"), steps=2),
    Operation("fork at an entry", ("fork", "--at", _id("Rewrite it."))),
    Operation("fork to another project", ("fork", "--to", "elsewhere")),
    Operation("migrate version 1", ("migrate",), _old(1)),
    Operation("migrate version 2 without a backup", ("migrate", "--no-backup"), _old(2)),
    Operation("label in version 1", ("label", "mark"), _old(1), steps=2),
    Operation("mv to another folder", ("mv", "--to", "elsewhere")),
    Operation("mv in place", ("mv", "--to", "elsewhere"), folder=Path("flat")),
    Operation("repair", ("fsck", "--repair", "out.jsonl"), _torn),
    Operation("export", ("export", "--format", "jsonl", "-o", "out.jsonl")),
    Operation("prune", ("prune", "--keep", "HEAD")),
    Operation("prune into a file", ("prune", "--keep", "HEAD", "--max-output", "100", "-o", "out.jsonl")),
    Operation("redact", ("redact", "HEAD")),
    Operation("redact into a file", ("redact", "--text", "rename", "-i", "-o", "out.jsonl")),
    Operation("config", ("config", "date", "iso")),
    Operation("find", ("find",)),
]


class Damage(AssertionError):
    """What must not be after a fault; says what, where."""


class Home:
    """A home in which an operation is tried, and what was in it before."""

    def __init__(self, root: Path, operation: Operation) -> None:
        self.root = root
        self.operation = operation
        self.project = root / "project"
        self.session = root / operation.folder / NAME
        for folder in (self.session.parent, self.project / "elsewhere", root / ".config" / "pisess"):
            folder.mkdir(parents=True)
        (root / ".config" / "pisess" / "config.toml").write_text('# mine\neditor = "vi"\n')
        operation.session().write(self.session)
        # What was changed just now is not kept in the cache.
        os.utime(self.session, (_LONG_AGO, _LONG_AGO))
        self.before = files_in(root)
        lines = b"".join(line for line, _ in migrated_lines(Session(self.session).whole))
        self._migrated = lines if Session(self.session).file.header.is_old else None

    @property
    def words(self) -> list[str]:
        """The command line."""
        return ["-s", str(self.session), *self.operation.words]

    @property
    def environment(self) -> dict[str, str]:
        """What the command sees."""
        return environment_of(self.root)

    def run(self) -> Outcome:
        """Runs the operation in this process."""
        with inside(self.project, self.environment):
            return run_here(self.words)

    def check(self, outcome: Outcome, *, may_leave_litter: bool) -> bool:
        """Whether the operation has changed anything. Raises `Damage`."""
        after = files_in(self.root)
        for path, old in self.before.items():
            self._check_old(path, old, after)
        new = {path: data for path, data in after.items() if path not in self.before}
        for path, data in new.items():
            self._check_new(path, data, may_leave_litter=may_leave_litter)
        if outcome.code >= 0:
            self._check_words(outcome)
        return self._effects(after) != self._effects(self.before)

    def _effects(self, files: dict[Path, bytes]) -> dict[Path, bytes]:
        return {path: data for path, data in files.items() if path.suffix in (".jsonl", ".toml")}

    def _check_old(self, path: Path, old: bytes, after: dict[Path, bytes]) -> None:
        new = after.get(path)
        if new is None:
            moved = [data for other, data in after.items() if other.name == path.name]
            if not (self.operation.words[0] == "mv" and any(self._is_moved(old, data) for data in moved)):
                raise Damage(f"{path.name} is gone")
            return
        if path.suffix == ".toml":
            if new not in (old, old + b'date = "iso"\n'):
                raise Damage(f"the settings are {new!r}")
            return
        known = [old, *([self._migrated] if self._migrated else [])]
        if any(new == start or (new.startswith(start) and _are_lines_behind(start, new)) for start in known):
            return
        if self.operation.words[0] == "mv" and self._is_moved(old, new):
            return
        raise Damage(f"{path.name} has lost something: {len(old)} bytes were there, {len(new)} are, {new[-80:]!r}")

    def _is_moved(self, old: bytes, new: bytes) -> bool:
        old_header, _, old_rest = old.partition(b"\n")
        header, _, rest = new.partition(b"\n")
        named = json.loads(header)
        here = str(self.project / "elsewhere")
        return rest == old_rest and named["cwd"] == here and json.loads(old_header) | {"cwd": here} == named

    def _check_new(self, path: Path, data: bytes, *, may_leave_litter: bool) -> None:
        if path.suffix == ".jsonl" and not path.name.startswith("."):
            lines = data.split(b"\n")
            if lines[-1] or not all(is_json(line) for line in lines[:-1]) or json.loads(lines[0])["type"] != "session":
                raise Damage(f"{path.name} is half written: {data[-80:]!r}")
            if self.operation.words[0] == "fork" and "--at" not in self.operation.words:
                old = (self._migrated or self.before[self.session.relative_to(self.root)]).partition(b"\n")[2]
                if not data.partition(b"\n")[2].startswith(old):
                    raise Damage(f"{path.name} is no copy")
        elif path.suffix == ".bak":
            if data != self.before[self.session.relative_to(self.root)]:
                raise Damage("the backup is another file")
        elif path.name != "sessions.cache" and not may_leave_litter:
            raise Damage(f"{path} was left behind")

    def _check_words(self, outcome: Outcome) -> None:
        err = outcome.err.decode()
        if outcome.code not in (0, 1) or "internal fault" in err or "Traceback" in err:
            raise Damage(f"exit code {outcome.code}: {err}")
        if outcome.code and not any(line.startswith("pisess: ") for line in err.split("\n")):
            raise Damage(f"it failed without a word: {err!r}")


def is_json(line: bytes) -> bool:
    """Whether a line holds JSON."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _are_lines_behind(start: bytes, new: bytes) -> bool:
    # New whole lines; a last line without a newline got that first.
    added = new[len(start) :]
    if not start.endswith(b"\n") and not added.startswith(b"\n"):
        return False
    return added.endswith(b"\n") and all(is_json(line) for line in added.split(b"\n") if line)


def files_in(root: Path) -> dict[Path, bytes]:
    """Every file below, by its path seen from there."""
    return dict(_files(root))


def _files(root: Path) -> Iterator[tuple[Path, bytes]]:
    for path in sorted(root.rglob("*")):
        if path.is_file():
            yield path.relative_to(root), path.read_bytes()
