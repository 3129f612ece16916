"""Sets up the real Pi: installs the pinned release from npm once, and gives each test a home and a model of its own.

PI_NODE and PI_NODE_MODULES name an installed tree (then nothing is installed); PISESS_TEST_CACHE says where to install
one instead of below this folder. Without npm the tests are skipped, unless CI is set: then they fail.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock
from pytest_console_scripts import ScriptRunner

from interop.pi import Pi, Pisess, PiTree
from interop.standin import StandIn

HERE = Path(__file__).resolve().parent
PINS = ("package.json", "package-lock.json", ".npmrc")
INSTALL_TIMEOUT_S = 600


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.interop)


@pytest.fixture(scope="session")
def pi_tree() -> PiTree:
    """Pi and its Node: the tree that the environment names, or the pinned one, installed when it is not there yet."""
    if "PI_NODE" in os.environ and "PI_NODE_MODULES" in os.environ:
        return PiTree(Path(os.environ["PI_NODE"]), Path(os.environ["PI_NODE_MODULES"]))
    place = install_place()
    place.mkdir(parents=True, exist_ok=True)
    done = place / "installed"
    with FileLock(place / "lock"):
        if not done.exists():
            install(place)
            done.touch()
    modules = place / "node_modules"
    return PiTree(modules / ".bin" / "node", modules)


def install_place() -> Path:
    """Return the folder for what the lock file names; another lock file has another folder."""
    pinned = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    return Path(os.environ.get("PISESS_TEST_CACHE", HERE / "node_modules")).absolute() / f"pi-{pinned[:12]}"


def install(place: Path) -> None:
    """Install the pinned packages there, exactly as locked; skip or fail when that cannot be done."""
    npm = shutil.which("npm")
    if npm is None:
        give_up("npm is not there (https://nodejs.org), so Pi cannot be installed")
    for name in PINS:
        shutil.copy(HERE / name, place / name)
    try:
        subprocess.run([npm, "ci"], cwd=place, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
    except subprocess.CalledProcessError as error:
        give_up(f"`npm ci` failed: {first_error(error.stderr)}")
    except subprocess.TimeoutExpired:
        give_up(f"`npm ci` was not done after {INSTALL_TIMEOUT_S} s")


def first_error(text: str) -> str:
    """Return the first thing that npm calls an error, or all of what it said."""
    return next((line for line in text.splitlines() if line.startswith("npm error")), text.strip())


def give_up(reason: str) -> NoReturn:
    """Skip what needs Pi; in CI, where it must not go untested, fail."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def model() -> Iterator[StandIn]:
    """A model that answers as it is told and keeps what it was sent."""
    with StandIn() as standin:
        yield standin


@pytest.fixture
def pi(pi_tree: PiTree, tmp_path: Path, model: StandIn) -> Pi:
    """Pi with a home, a project and a model of this test's own."""
    return Pi(pi_tree, tmp_path, model)


@pytest.fixture
def pisess(pi: Pi, script_runner: ScriptRunner) -> Pisess:
    """The `pisess` command in Pi's project and environment: arguments in, stdout (last newline off) out; its failure fails the test."""

    def run(*args: object, cwd: Path = pi.project) -> str:
        done = script_runner.run(["pisess", *map(str, args)], cwd=cwd, env=pi.env, print_result=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.removesuffix("\n")

    return run


@pytest.fixture(scope="session")
def talk(pi_tree: PiTree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of three turns that the real Pi wrote, the first with a tool call; copy it before use."""
    with StandIn() as standin:
        pi = Pi(pi_tree, tmp_path_factory.mktemp("talk"), standin)
        standin.call_bash("echo one")
        standin.answer("first answer", "second answer", "third answer")
        pi.say("first question")
        pi.say("second question", continue_=True)
        pi.say("third question", continue_=True)
        [session] = pi.sessions()
    return session


@pytest.fixture
def session(talk: Path, pi: Pi) -> Path:
    """A copy of that session as if Pi had written it in this test's project."""
    return pi.adopt(talk)
