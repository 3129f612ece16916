"""Where the generated files, and the text of the topics, are once pisess is installed."""

from pathlib import Path

from pisess_cli.core.errors import NotFound

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "data", _PACKAGE.parent)
"""In a package the files are inside it; in a checkout beside it."""


def generated_file(folder: str, name: str) -> Path:
    """A file of `man` or `completions`. Raises `NotFound` where the installation lacks it."""
    found = next((path for place in _PLACES if (path := place / folder / name).is_file()), None)
    if found is None:
        raise NotFound(f"the file is not installed ({folder}/{name})", hint="install pisess anew")
    return found


def topic_text(topic: str) -> str:
    """A topic's page as it was written, in Markdown."""
    return (Path(__file__).parent / "fragments" / f"{topic}.md").read_text(encoding="utf-8")
