import json

import pytest

from builder import id_of, session, talk
from running import Pisess, unchanged


@pytest.fixture
def at_talk(pisess: Pisess) -> Pisess:
    pisess.use(talk())
    return pisess


def test_each_revision_is_printed_as_a_full_id(at_talk: Pisess) -> None:
    with unchanged(at_talk.home):
        lines = at_talk.ok("rev-parse", "HEAD", "found", "000a", ":/Where", "-").lines

    says = ("Renamed.", "In src/parser.py.", "Done, but slow.", "Where is the parser?", "Done, but slow.")
    assert lines == talk().ids(*says)


def test_the_place_before_the_first_entry_is_printed_as_root(at_talk: Pisess) -> None:
    assert at_talk.ok("rev-parse", "ROOT", "HEAD~6").lines == ["ROOT", "ROOT"]


def test_a_range_is_printed_as_its_end_and_its_start_behind_a_caret(at_talk: Pisess) -> None:
    end, start = talk().ids("Renamed.", "In src/parser.py.")

    assert at_talk.ok("rev-parse", "found..HEAD").lines == [end, f"^{start}"]
    assert at_talk.ok("rev-parse", "ROOT..found").lines == [start, "^ROOT"]


def test_a_symmetric_range_is_printed_as_both_ends_and_what_they_share(at_talk: Pisess) -> None:
    end, start, shared = talk().ids("Renamed.", "Done, but slow.", "In src/parser.py.")

    assert at_talk.ok("rev-parse", "@{-1}...HEAD").lines == [end, start, f"^{shared}"]


def test_a_symmetric_range_that_shares_nothing_has_two_lines(pisess: Pisess) -> None:
    pisess.use(session().user("one").branch_at(None).user("two"))

    assert pisess.ok("rev-parse", "@{-1}...HEAD").lines == [id_of(2), id_of(1)]


def test_an_entry_of_another_session(at_talk: Pisess) -> None:
    other = session("other").user("one").write(at_talk.home / "other.jsonl")

    assert at_talk.ok("rev-parse", f"{other}:HEAD", f"{other}:..").lines == [id_of(1), id_of(1), f"^{id_of(1)}"]
    assert at_talk.ok("rev-parse", "../other.jsonl:HEAD").line == id_of(1)


def test_short_ids_are_as_long_as_it_takes(pisess: Pisess) -> None:
    built = session()
    for entry_id in ("0123456789a", "0123456789b", "abcdef0123"):
        built.entry("message", says=entry_id, id=entry_id, message={"role": "user", "content": "x"})
    pisess.use(built)

    assert pisess.ok("rev-parse", "--short", "LEAF", "LEAF~1", "ROOT").lines == ["abcdef01", "0123456789b", "ROOT"]


def test_symbolic_names(at_talk: Pisess) -> None:
    lines = at_talk.ok("rev-parse", "--symbolic", "HEAD", "HEAD~2", "HEAD~5", "-", "ROOT", "found..HEAD").lines

    assert lines == ["HEAD", "found", "HEAD~5", talk().id("Done, but slow."), "ROOT", "HEAD", "^found"]


def test_all_are_the_tips_and_the_labelled_entries(at_talk: Pisess) -> None:
    assert at_talk.ok("rev-parse", "--all").lines == talk().ids("Renamed.", "Done, but slow.", "In src/parser.py.")
    assert at_talk.ok("rev-parse", "--all", "--symbolic").lines == ["HEAD", talk().id("Done, but slow."), "found"]


def test_verified_is_one_entry(at_talk: Pisess) -> None:
    assert at_talk.ok("rev-parse", "--verify", "found").line == talk().id("In src/parser.py.")


@pytest.mark.parametrize("revision", ["nosuch", "HEAD~99", "found..HEAD", "000", "0", "HEAD^{nobody}", "@9:HEAD", ""])
def test_what_is_not_one_entry_is_refused_quietly(at_talk: Pisess, revision: str) -> None:
    assert at_talk("rev-parse", "--verify", revision) == (1, "", "")


def test_an_ambiguous_prefix_is_refused_quietly_too(pisess: Pisess) -> None:
    built = session()
    for entry_id in ("abcd1111", "abcd2222"):
        built.entry("message", says=entry_id, id=entry_id, message={"role": "user", "content": "x"})
    pisess.use(built)

    assert pisess("rev-parse", "--verify", "abcd") == (1, "", "")
    assert "is the start of several ids" in pisess.fail("rev-parse", "abcd")


def test_one_that_names_nothing_fails_and_nothing_is_printed(at_talk: Pisess) -> None:
    assert "no entry or label has that name (nosuch)" in at_talk.fail("rev-parse", "HEAD", "nosuch")


@pytest.mark.parametrize(
    "words", [[], ["--verify"], ["--verify", "HEAD", "HEAD"], ["--verify", "--all"], ["--short", "--symbolic", "HEAD"]]
)
def test_wrong_usage(at_talk: Pisess, words: list[str]) -> None:
    at_talk.fail("rev-parse", *words, code=2)


def test_an_entry_without_an_id_cannot_be_printed(pisess: Pisess) -> None:
    pisess.use(session().entry("message", id=..., message={"role": "user", "content": "x"}))

    assert "has no id" in pisess.fail("rev-parse", "LEAF")


def test_what_log_prints_as_ids_comes_back(at_talk: Pisess) -> None:
    ids = at_talk.ok("log", "--all", "--full", "--format", "%H").lines

    assert at_talk.ok("rev-parse", *ids).lines == ids


def test_a_range_prints_the_ids_that_log_needs(at_talk: Pisess) -> None:
    logged = at_talk.ok("log", "--format", "%H", "found..HEAD").lines

    assert logged == talk().ids("Renamed.", "Only rename it.")


# JSON.


def test_revisions_as_json(at_talk: Pisess) -> None:
    found = [json.loads(line) for line in at_talk.ok("rev-parse", "--json", "HEAD", "ROOT", "ROOT..found").lines]

    file = str(at_talk.home / "session.jsonl")
    head, label = talk().ids("Renamed.", "In src/parser.py.")
    assert found == [
        {"revision": "HEAD", "name": head, "id": head, "path": file, "excluded": False},
        {"revision": "ROOT", "name": "ROOT", "id": None, "path": file, "excluded": False},
        {"revision": "ROOT..found", "name": label, "id": label, "path": file, "excluded": False},
        {"revision": "ROOT..found", "name": "ROOT", "id": None, "path": file, "excluded": True},
    ]


@pytest.mark.parametrize(("option", "name"), [("--symbolic", "found"), ("--short", talk().id("In src/parser.py."))])
def test_the_name_in_json_is_as_it_is_asked_for(at_talk: Pisess, option: str, name: str) -> None:
    found = json.loads(at_talk.ok("rev-parse", "--json", option, "HEAD~2").line)

    assert (found["name"], found["id"]) == (name, talk().id("In src/parser.py."))


def test_the_json_of_an_entry_of_another_session_names_that_file(at_talk: Pisess) -> None:
    other = session("other").user("one").write(at_talk.home / "other.jsonl")

    assert json.loads(at_talk.ok("rev-parse", "--json", f"{other}:HEAD").line)["path"] == str(other)


def test_the_json_of_all_names_no_revision(at_talk: Pisess) -> None:
    found = [json.loads(line) for line in at_talk.ok("rev-parse", "--json", "--all").lines]

    assert [one["revision"] for one in found] == [None, None, None]
    assert [one["id"] for one in found] == talk().ids("Renamed.", "Done, but slow.", "In src/parser.py.")


def test_the_json_of_what_is_no_entry_is_nothing(at_talk: Pisess) -> None:
    assert at_talk("rev-parse", "--json", "--verify", "nosuch") == (1, "", "")
