"""What the README and its pages say is so: recipes run, pictures are current."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tour import DOCS, PICTURES, picture

README = Path(__file__).parent.parent.parent / "README.md"


def recipes() -> list[str]:
    """Return the shell recipes of the chapter on scripting."""
    chapter = README.read_text(encoding="utf-8").split("\n## Scripting\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", chapter, re.DOTALL)


@pytest.fixture
def demo(tmp_path: Path) -> dict[str, str]:
    """Give an environment whose sessions are the samples, and which has `pisess` on its path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"HOME": str(tmp_path), "PATH": path, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    subprocess.run(["pisess", "-q", "demo", "demo"], env=env, cwd=tmp_path, check=True, capture_output=True)
    return env | {"PISESS_SESSION_DIR": str(tmp_path / "demo" / "sessions")}


def test_there_are_five_recipes() -> None:
    assert len(recipes()) == 5


@pytest.mark.parametrize("recipe", recipes())
def test_a_recipe_runs(recipe: str, demo: dict[str, str], tmp_path: Path) -> None:
    project = tmp_path / "demo" / "csv-parser"

    done = subprocess.run(
        ["sh", "-eu", "-c", recipe], env=demo, cwd=project, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "pisess:" not in done.stderr


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_current(name: str) -> None:
    assert (DOCS / f"{name}.svg").read_text(encoding="utf-8") == picture(name)


def test_every_picture_is_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")

    assert [name for name in PICTURES if f"(docs/{name}.svg)" not in text] == []
    assert [line for line in PICTURES.values() if line.split(" --date")[0].split(" --utc")[0] not in text] == []
