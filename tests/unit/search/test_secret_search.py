"""Likely secrets over many files: where they are, never what they are."""

from pathlib import Path

import pytest

from builder import SESSION_ID, call, id_of, session, time_of
from pisess_cli.core.search.entry_filter import EntryFilter
from pisess_cli.core.search.hits import SecretHit
from pisess_cli.core.search.secret_search import search_secrets

EVERYTHING = EntryFilter(full=True)
TOKEN = "np" + "m_" + "aB3" * 12
KEY = "gh" + "p_" + "xY9" * 12


def search(*paths: Path, entries: EntryFilter = EVERYTHING, first_only: bool = False) -> list[SecretHit]:
    return list(search_secrets(paths, entries, first_only=first_only))


def test_a_hit_says_where_a_secret_is_and_shows_its_first_characters(tmp_path: Path) -> None:
    path = session().user("hi").user(f"it is {TOKEN}").write(tmp_path)

    [hit] = search(path)

    masked = TOKEN[:8] + "…"
    assert hit == (path, SESSION_ID, id_of(2), "message", "user", time_of(2), "npm-token", masked, None)
    assert hit.line == f"npm-token {masked}"
    assert TOKEN not in str(hit)
    assert hit.as_json()["masked"] == masked


def test_an_entry_has_each_secret_once(tmp_path: Path) -> None:
    path = session().user(f"{TOKEN} {KEY} {TOKEN}").user(TOKEN).write(tmp_path)

    assert [(hit.entry, hit.rule) for hit in search(path)] == [
        (id_of(1), "npm-token"),
        (id_of(1), "github-token"),
        (id_of(2), "npm-token"),
    ]


def test_all_strings_of_an_entry_are_looked_through(tmp_path: Path) -> None:
    made = session(cwd=f"/{TOKEN}").assistant("", call("http", headers={"api_key": "aB3dE6gH9jK2mN5p"}))
    made.result("", details={"env": [KEY]}).label(TOKEN)

    assert [(hit.type, hit.rule) for hit in search(made.write(tmp_path))] == [
        ("session", "npm-token"),
        ("message", "assigned"),
        ("message", "github-token"),
        ("label", "npm-token"),
    ]


def test_lines_that_are_no_json_are_looked_through(tmp_path: Path) -> None:
    path = session().user("hi").torn('{"type":"message","text":"' + TOKEN).write(tmp_path)

    [hit] = search(path)

    assert (hit.entry, hit.type, hit.rule) == (None, None, "npm-token")


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        (EntryFilter(roles=("user",)), [id_of(1)]),
        (EntryFilter(types=("label",)), [id_of(3)]),
        (EntryFilter(roles=("system",)), []),
    ],
)
def test_only_wanted_entries_count(tmp_path: Path, entries: EntryFilter, found: list[str]) -> None:
    path = session().user(TOKEN).assistant(TOKEN).label(TOKEN).torn(TOKEN).write(tmp_path)

    assert [hit.entry for hit in search(path, entries=entries)] == found


def test_files_come_in_their_order_and_one_hit_can_be_enough(tmp_path: Path) -> None:
    one = session("one").user(TOKEN).user(KEY).write(tmp_path / "1.jsonl")
    two = session("two").user("nothing").write(tmp_path / "2.jsonl")
    three = session("three").user(KEY).write(tmp_path / "3.jsonl")
    ticks: list[int] = []

    hits = list(search_secrets([three, two, one], EVERYTHING, first_only=True, tick=lambda: ticks.append(1)))

    assert [(hit.session, hit.rule) for hit in hits] == [("three", "github-token"), ("one", "npm-token")]
    assert len(ticks) == 3


@pytest.mark.parametrize("version", [1, 2])
def test_old_versions_have_the_ids_that_pisess_shows(tmp_path: Path, version: int) -> None:
    from pisess_cli.core.session.session import Session

    path = session().user("hi").user(TOKEN).torn(KEY).version(version).write(tmp_path)

    assert [hit.entry for hit in search(path)] == [Session(path).tree.entries[1].id, None]


def test_what_is_no_session_has_none(tmp_path: Path) -> None:
    (tmp_path / "no.jsonl").write_text(TOKEN)
    (tmp_path / "dir.jsonl").mkdir()

    assert search(tmp_path / "no.jsonl", tmp_path / "dir.jsonl", tmp_path / "missing.jsonl") == []
