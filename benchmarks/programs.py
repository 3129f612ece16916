"""The programs that are run: pisess, and what it is held against."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
_PI_PACKAGE = Path("@earendil-works/pi-coding-agent")


class Pi(NamedTuple):
    """An installed Pi: its Node, and the folder of modules that has it."""

    node: Path
    modules: Path

    @property
    def cli(self) -> Path:
        return self.modules / _PI_PACKAGE / "dist" / "cli.js"

    @property
    def version(self) -> str:
        return _said([self.node, self.cli, "--version"])


def find_pi() -> Pi | None:
    """The Pi that PI_NODE and PI_NODE_MODULES name, else the one that the interop tests have installed."""
    if "PI_NODE" in os.environ and "PI_NODE_MODULES" in os.environ:
        return Pi(Path(os.environ["PI_NODE"]), Path(os.environ["PI_NODE_MODULES"]))
    beside = HERE.parent / "tests" / "interop" / "node_modules"
    installed = sorted(Path(os.environ.get("PISESS_TEST_CACHE", beside)).glob("pi-*/installed"))
    if not installed:
        return None
    modules = installed[-1].parent / "node_modules"
    return Pi(modules / ".bin" / "node", modules)


def find_pisess() -> Path:
    """The `pisess` of this Python's environment, else the one on PATH. Exits if there is none."""
    beside = Path(sys.executable).with_name("pisess")
    found = beside if beside.exists() else shutil.which("pisess")
    if found is None:
        sys.exit("benchmarks: pisess is not installed (pip install -e .)")
    return Path(found)


def find_rg() -> Path | None:
    """The ripgrep on PATH."""
    found = shutil.which("rg")
    return Path(found) if found else None


def path_without(program: str) -> str:
    """The PATH without the folders that have a program."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not shutil.which(program, path=folder))


def versions(pisess: Path, pi: Pi | None, rg: Path | None) -> dict[str, str]:
    """What was run, by name."""
    found = {"pisess": _said([pisess, "--version"]).removeprefix("pisess "), "Python": sys.version.split()[0]}
    if pi:
        found |= {"Pi": pi.version, "Node": _said([pi.node, "--version"]).removeprefix("v")}
    if rg:
        found["ripgrep"] = _said([rg, "--version"]).split()[1]
    return found


def _said(words: list[str | Path]) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
