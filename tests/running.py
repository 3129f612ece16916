"""The console script in verbs, and files watched while it runs."""

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pytest_console_scripts import ScriptRunner

from builder import SessionBuilder


class Result(NamedTuple):
    """What a run came to."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of stdout."""
        assert not self.out or self.out.endswith("\n")
        return self.out.split("\n")[:-1]

    @property
    def line(self) -> str:
        """The one line of stdout."""
        [line] = self.lines
        return line


class Pisess:
    """The console script in a home of its own. `pisess("log", "-n", 1)` runs it, on the session that `use` has named.

    `ok` is for runs that have to succeed, `fail` for those that have to fail with one line that says why.
    """

    def __init__(self, runner: ScriptRunner, home: Path) -> None:
        self._runner = runner
        self.home = home
        self.project = home / "project"
        self.project.mkdir(parents=True)
        self._session: Path | None = None
        # Only what is set here: no variable of whoever runs the tests has a say.
        self.env = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def use(self, session: SessionBuilder | Path) -> Path:
        """Lets the runs that follow act on this session; gives its file."""
        self._session = session if isinstance(session, Path) else session.write(self.home / "session.jsonl")
        return self._session

    def __call__(
        self, *args: object, stdin: bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Result:
        named = [] if self._session is None else ["-s", str(self._session)]
        done = self._runner.run(
            ["pisess", *named, *map(str, args)],
            env=self.env | dict(env or {}),
            cwd=cwd or self.project,
            stdin=io.TextIOWrapper(io.BytesIO(stdin)),
            print_result=False,
        )
        assert "Traceback" not in done.stderr
        return Result(done.returncode, done.stdout, done.stderr)

    def ok(
        self, *args: object, stdin: bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Result:
        result = self(*args, stdin=stdin, env=env, cwd=cwd)
        assert result.code == 0, result.err
        return result

    def fail(
        self,
        *args: object,
        code: int = 1,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> str:
        """Gives what was said on stderr."""
        result = self(*args, stdin=stdin, env=env, cwd=cwd)
        assert result.code == code, result.err or result.out
        assert result.err.startswith("pisess: ")
        assert result.out == ""
        return result.err


class FileState(NamedTuple):
    data: bytes
    mtime_ns: int
    mode: int


def state_of(directory: Path) -> dict[Path, FileState]:
    """Every file below the directory."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path: FileState(path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode) for path in files}


@contextmanager
def unchanged(directory: Path) -> Iterator[None]:
    """What is done inside leaves every file below the directory as it is, and adds none."""
    before = state_of(directory)
    yield
    assert state_of(directory) == before


@contextmanager
def only_appended(file: Path) -> Iterator[None]:
    """What is done inside adds whole lines to the file, and changes nothing before them."""
    before = file.read_bytes()
    yield
    after = file.read_bytes()
    assert after.startswith(before)
    assert len(after) > len(before)
    assert after.endswith(b"\n")
