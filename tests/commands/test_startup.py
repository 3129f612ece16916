"""What a run loads: not how long it takes, but that it does not load what it has no use for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from builder import talk
from pisess_cli.deferred import DEFERRED

PISESS = "from pisess_cli.__main__ import main; code = main()"
COMPLETE = "from pisess_cli.complete import main; code = main(sys.argv[1:])"
# Says at the end of a run what was loaded; msgspec takes to typing_extensions where tests brought it, and users have not.
PROGRAM = """\
import sys
from pisess_cli.deferred import Deferred
sys.modules["typing_extensions"] = None
before = set(sys.modules)
sys.argv = ["pisess", *sys.argv[1:]]
%s
sys.stdout.flush()
after = {name for name, module in sys.modules.items() if not isinstance(module, Deferred)}
sys.stderr.write("\\n" + " ".join(sorted(after - before)))
sys.exit(code)
"""

LIBRARIES = {
    "rich",
    "tomlkit",
    "tomllib",
    "send2trash",
    "subprocess",
    "dataclasses",
    "logging",
    "asyncio",
    "concurrent",
    "multiprocessing",
    "hashlib",
    "sqlite3",
    "http",
    "email",
    "ssl",
    "importlib.metadata",
    "zoneinfo",
}
OF_OTHER_COMMANDS = {
    "pisess_cli.core.context.branch_summary",
    "pisess_cli.core.store.list_cache",
    "pisess_cli.core.context.compaction",
    "pisess_cli.core.context.explanation",
    "pisess_cli.core.store.listing",
    "pisess_cli.core.manager",
    "pisess_cli.core.search.search",
    "pisess_cli.core.search.secrets",
    "pisess_cli.core.context.summary_prompts",
    "pisess_cli.core.context.tokens",
    "pisess_cli.core.reports.usage",
    "pisess_cli.core.session.appender",
    "pisess_cli.actions.summary_source",
    "pisess_cli.docs",
}


@pytest.fixture
def session_file(tmp_path: Path) -> Path:
    return talk().write(tmp_path)


def loaded(*args: object, home: Path, start: str = PISESS) -> set[str]:
    """The modules that a run has loaded at its end, in a process that has only the interpreter's own before."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM % start, *map(str, args)],
        env={"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.rsplit("\n", 1)[-1].split())


def of(modules: set[str], packages: set[str]) -> set[str]:
    """Those of the modules that are one of the packages or in it."""
    return {module for module in modules if any(f"{module}.".startswith(f"{package}.") for package in packages)}


def test_the_version_is_told_without_loading_anything_of_ours_but_it(tmp_path: Path) -> None:
    modules = loaded("--version", home=tmp_path)

    assert of(modules, {"pisess_cli"}) - {"pisess_cli.deferred"} == {"pisess_cli.__main__"}
    assert of(modules, {"click", "msgspec", "platformdirs", *LIBRARIES}) == set()


@pytest.mark.parametrize(
    "args",
    [
        ["log"],
        ["log", "--oneline", "-n", "1"],
        ["log", "--json"],
        ["log", "--graph", "--all"],
        ["show"],
        ["label"],
        ["branch"],
    ],
    ids=" ".join,
)
def test_reading_in_a_pipe_loads_nothing_that_draws_writes_or_searches(
    session_file: Path, tmp_path: Path, args: list[str]
) -> None:
    modules = loaded("-s", session_file, *args, home=tmp_path)

    assert of(modules, LIBRARIES | OF_OTHER_COMMANDS) == set()


@pytest.mark.parametrize("args", [["log"], ["show"]], ids=" ".join)
def test_a_few_entries_are_shown_without_what_whole_graphs_take(
    session_file: Path, tmp_path: Path, args: list[str]
) -> None:
    modules = loaded("-s", session_file, *args, home=tmp_path)

    assert of(modules, {"pisess_cli.core.storage.workers", "pisess_cli.core.storage.entry_digests"}) == set()


@pytest.mark.parametrize(
    "args",
    [["log", "-n", "1"], ["show"], ["show-context", "--json"], ["label", "x", "HEAD"], ["branch"], ["name", "x"]],
    ids=" ".join,
)
def test_nothing_looks_at_what_is_deferred(session_file: Path, tmp_path: Path, args: list[str]) -> None:
    modules = loaded("-s", session_file, *args, home=tmp_path)

    assert of(modules, set(DEFERRED)) == set()


def test_a_command_loads_no_other_command(session_file: Path, tmp_path: Path) -> None:
    modules = loaded("-s", session_file, "log", home=tmp_path)

    assert of(modules, {"pisess_cli.commands"}) == {"pisess_cli.commands", "pisess_cli.commands.log"}


def test_a_search_loads_nothing_that_looks_for_secrets_or_draws(session_file: Path, tmp_path: Path) -> None:
    modules = loaded("--session-dir", session_file.parent, "find", "parser", home=tmp_path)

    assert "pisess_cli.core.search.search" in modules
    its_own = {"pisess_cli.core.search.search", "pisess_cli.core.store.listing", "pisess_cli.core.store.list_cache"}
    assert of(modules, (LIBRARIES | OF_OTHER_COMMANDS) - its_own) == set()


def test_a_label_is_written_without_loading_what_draws_or_summarises(session_file: Path, tmp_path: Path) -> None:
    modules = loaded("-s", session_file, "label", "x", home=tmp_path)

    assert "pisess_cli.core.session.appender" in modules
    assert of(modules, LIBRARIES | (OF_OTHER_COMMANDS - {"pisess_cli.core.session.appender"})) == set()


@pytest.mark.parametrize(
    "args", [["rev", ""], ["rev", "fo"], ["label", ""], ["session", "@"], ["key", ""]], ids=" ".join
)
def test_completing_loads_neither_commands_nor_what_draws(session_file: Path, tmp_path: Path, args: list[str]) -> None:
    modules = loaded("-s", session_file, *args, home=tmp_path, start=COMPLETE)

    assert "pisess_cli.complete" in modules
    assert of(modules, {"click", "pisess_cli.commands", "pisess_cli.cli", *LIBRARIES}) == set()
