"""`python -m pisess_cli.docs`: writes `man/` and `completions/`; `--check` says what of them is out of date."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pisess_cli.docs import bash, fish, man, zsh

ROOT = Path(__file__).parents[2]


def generated() -> dict[Path, str]:
    """Every file by its path in the project."""
    files = {Path("man", name): text for name, text in man.pages()}
    for shell in (bash, fish, zsh):
        files[Path("completions", shell.FILE_NAME)] = shell.script()
    return files


def stale(root: Path) -> list[Path]:
    """The files below `root` that are missing, out of date, or made from nothing any more."""
    files = generated()
    wrong = [path for path, text in files.items() if not _holds(root / path, text)]
    return wrong + sorted(path for path in _present(root) if path not in files)


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def _present(root: Path) -> set[Path]:
    return {path.relative_to(root) for folder in ("man", "completions") for path in (root / folder).glob("*")}


def main(words: Sequence[str]) -> int:
    """Writes the files, or with `--check` only compares; returns 1 if that finds a difference."""
    if words == ["--check"]:
        outdated = stale(ROOT)
        if outdated:
            sys.stderr.write(f"out of date: {' '.join(map(str, outdated))}\nrun python -m pisess_cli.docs\n")
        return 1 if outdated else 0
    if words:
        sys.stderr.write("usage: python -m pisess_cli.docs [--check]\n")
        return 2
    files = generated()
    for path in _present(ROOT) - files.keys():
        (ROOT / path).unlink()
    for path, text in files.items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
