"""Commands that write an entry show it with `--json`, as it stands in the file."""

import json

import pytest

from builder import talk
from running import Pisess

WRITERS = [
    ("checkout", "HEAD~1"),
    ("checkout", "HEAD~1", "-m", "It did not work."),
    ("branch", "--at", "HEAD~1"),
    ("branch", "here"),
    ("label", "here"),
    ("label", "-d", "found"),
    ("compact", "-m", "short", "--keep-none"),
    ("append", "message", "-m", "hi"),
]


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_json_is_the_entry_as_it_was_written(pisess: Pisess, words: tuple[str, ...]) -> None:
    path = pisess.use(talk())

    shown = pisess.ok(*words, "--json").line

    assert path.read_text().splitlines()[-1] == shown
    assert json.loads(shown)["id"]


@pytest.mark.parametrize(
    "words", [("checkout", "LEAF"), ("checkout", "HEAD~1", "--dry-run"), ("label", "found", "found")], ids=" ".join
)
def test_where_nothing_was_written_the_id_is_null(pisess: Pisess, words: tuple[str, ...]) -> None:
    path = pisess.use(talk())
    before = path.read_bytes()

    assert json.loads(pisess.ok(*words, "--json").line) == {"id": None}
    assert path.read_bytes() == before
