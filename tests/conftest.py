"""What all tests share: the console script in a home of its own, and golden outputs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from pytest_console_scripts import ScriptRunner

from running import Pisess

# How long an example takes says more of the machine than of the code.
settings.register_profile("pisess", deadline=None)
settings.load_profile("pisess")

GOLDEN = Path(__file__).parent / "commands" / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden outputs anew; read the difference")


@pytest.fixture
def pisess(script_runner: ScriptRunner, tmp_path: Path) -> Pisess:
    return Pisess(script_runner, tmp_path / "home")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares an output with the file of that name; `--update-golden` writes it."""

    def compare(name: str, output: str) -> None:
        file = GOLDEN / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            file.write_text(output, encoding="utf-8")
        assert output == file.read_text(encoding="utf-8")

    return compare
