from collections.abc import Callable
from pathlib import Path

import pytest

from builder import SessionBuilder, call, id_of, session, talk
from pisess_cli.core.errors import Ambiguous, NotFound, PisessError, UsageFault
from pisess_cli.core.session.revision_names import Namer, named_entries
from pisess_cli.core.session.revisions import Resolver, fork_point, range_entries
from pisess_cli.core.session.session import Session

ROOT = None


@pytest.fixture
def resolve(tmp_path: Path) -> Callable[[SessionBuilder], Resolver]:
    """A resolver for a session; `@2` and the path `../other.jsonl` name a second one that says `other`."""
    other = Session(session("other").user("asked").assistant("other").write(tmp_path / "other.jsonl"))

    def build(built: SessionBuilder) -> Resolver:
        opened = Session(built.write(tmp_path / "session.jsonl"))
        known = {"@1": opened, "@2": other, "../other.jsonl": other}

        def open_session(selector: str) -> Session:
            if selector not in known:
                raise NotFound(f"no session has that id or name ({selector})")
            return known[selector]

        return Resolver(opened, open_session)

    return build


def said(words: str, *ids: str) -> SessionBuilder:
    """A session in which this was said once under each of the ids."""
    built = session()
    for entry_id in ids:
        built.entry("message", says=words, id=entry_id, message={"role": "user", "content": words})
    return built


def named(built: SessionBuilder, says: str | None) -> str | None:
    return None if says is None else built.id(says)


# What each revision names in `talk()`, by what the entry says or by its id.
NAMES = {
    "HEAD": "Renamed.",
    "@": "Renamed.",
    "LEAF": "Renamed.",
    "ROOT": ROOT,
    "000abeef": "Done, but slow.",
    "000a": "Done, but slow.",
    "000abee": "Done, but slow.",
    "found": "In src/parser.py.",
    "label:found": "In src/parser.py.",
    "HEAD~0": "Renamed.",
    "HEAD~": "Only rename it.",
    "HEAD~1": "Only rename it.",
    "HEAD^": "Only rename it.",
    "HEAD^0": "Renamed.",
    "HEAD^1": "Only rename it.",
    "HEAD^^": "In src/parser.py.",
    "HEAD~2": "In src/parser.py.",
    "HEAD~~": "In src/parser.py.",
    "HEAD~1^~1": "0006beef",
    "@~3": "0006beef",
    "~3": "0006beef",
    "found~2": "Looking.",
    "label:found~2": "Looking.",
    "000a~2": "In src/parser.py.",
    "HEAD~5": "Where is the parser?",
    "HEAD~6": ROOT,
    "HEAD~000006": ROOT,
    "0001beef~1": ROOT,
    "0002beef^": ROOT,
    "ROOT~0": ROOT,
    "ROOT^0": ROOT,
    "HEAD^{user}": "Only rename it.",
    "HEAD^{USER}": "Only rename it.",
    "HEAD^{assistant}": "Renamed.",
    "HEAD^{toolResult}": "0006beef",
    "HEAD^{toolresult}^": "Looking.",
    "HEAD^{system}": "Be brief.",
    "HEAD^{model_change}": "0001beef",
    "HEAD^{user}^^{user}": "Where is the parser?",
    "HEAD^{message}~1": "Only rename it.",
    "HEAD^{/parser}": "In src/parser.py.",
    "HEAD^{/^In}~3": "Where is the parser?",
    "HEAD^{/[Pp]arser\\?$}": "Where is the parser?",
    "HEAD^{/r{2}|Where}": "Where is the parser?",
    "HEAD^{/..}": "Renamed.",
    "HEAD~2^{/a|b}^": "0006beef",
    ":/slow": "Done, but slow.",
    ":/parser": "In src/parser.py.",
    ":/a..b|Looking": "Looking.",
    ":/Where is: |Looking": "Looking.",
    "-": "Done, but slow.",
    "@{-1}": "Done, but slow.",
    "@{-1}~1": "Rewrite it.",
    "-~1": "Rewrite it.",
    "@1:HEAD~1": "Only rename it.",
    "@1:": "Renamed.",
    "@1:label:found": "In src/parser.py.",
    "@1::/slow": "Done, but slow.",
    "@1:@1:found": "In src/parser.py.",
}


@pytest.mark.parametrize(("revision", "says"), NAMES.items())
def test_a_revision_names_an_entry(resolve: Callable, revision: str, says: str | None) -> None:
    built = talk()

    entry = resolve(built).point(revision).entry

    assert (entry and entry.id) == named(built, says)


UNNAMED: dict[str, tuple[type[PisessError], str]] = {
    "": (UsageFault, "an empty revision"),
    "nosuch": (NotFound, "no entry or label"),
    "000": (NotFound, "no entry or label"),
    "label:nosuch": (NotFound, "no entry has that label"),
    "label:found~7": (NotFound, "beyond the first entry"),
    "HEAD~7": (NotFound, "beyond the first entry"),
    "HEAD~99999999999999999999": (NotFound, "beyond the first entry"),
    f"HEAD~{'9' * 5000}": (NotFound, "beyond the first entry"),
    "ROOT~1": (NotFound, "nothing stands above the root"),
    "ROOT^{user}": (NotFound, "nothing stands above the root"),
    "HEAD~6^{/x}": (NotFound, "nothing stands above the root"),
    "HEAD^2": (UsageFault, "one parent"),
    "HEAD^{}": (UsageFault, "no such role or type"),
    "HEAD^{nobody}": (UsageFault, "no such role or type"),
    "HEAD^{compaction}": (NotFound, "no entry on the path fits"),
    "HEAD^{/nowhere}": (NotFound, "no entry on the path fits"),
    "HEAD^{/found}": (NotFound, "no entry on the path fits"),
    "HEAD^{/(}": (UsageFault, "not a regular expression"),
    "HEAD^{/x": (NotFound, "no entry or label"),
    "HEAD^x": (NotFound, "no entry or label"),
    ":/nowhere": (NotFound, "no entry's text matches"),
    ":/(": (UsageFault, "not a regular expression"),
    "@{-2}": (NotFound, "not moved that often"),
    "@{-0}": (NotFound, "not moved that often"),
    "@{-99999999999999999999}": (NotFound, "not moved that often"),
    "@{1}": (NotFound, "no entry or label"),
    "@9:HEAD": (NotFound, "no session has that id or name"),
    "@2:found": (NotFound, "no entry or label"),
    "HEAD~1..HEAD": (UsageFault, "a range names several entries"),
    "HEAD^{/parser}..HEAD": (UsageFault, "a range names several entries"),
}


@pytest.mark.parametrize(("revision", "fault", "words"), [(text, *why) for text, why in UNNAMED.items()])
def test_a_revision_that_names_nothing_fails(
    resolve: Callable, revision: str, fault: type[PisessError], words: str
) -> None:
    resolver = resolve(talk())

    with pytest.raises(fault, match=words):
        resolver.point(revision)


# The ends of each range in `talk()`; True where both sides count.
RANGES = {
    "found..HEAD": ("In src/parser.py.", "Renamed.", False),
    "found..": ("In src/parser.py.", "Renamed.", False),
    "..found": ("Renamed.", "In src/parser.py.", False),
    "..": ("Renamed.", "Renamed.", False),
    "...": ("Renamed.", "Renamed.", True),
    "000a...HEAD": ("Done, but slow.", "Renamed.", True),
    "HEAD~2..@{-1}": ("In src/parser.py.", "Done, but slow.", False),
    "ROOT..HEAD~6": (ROOT, ROOT, False),
    "-..HEAD": ("Done, but slow.", "Renamed.", False),
    "HEAD^{/Where}..HEAD^{/Only}": ("Where is the parser?", "Only rename it.", False),
    "HEAD^{/a..b|Where}..HEAD": ("Where is the parser?", "Renamed.", False),
    "HEAD^{/a..b|Where}^{user}...HEAD": ("Where is the parser?", "Renamed.", True),
    "HEAD^{user}..HEAD": ("Only rename it.", "Renamed.", False),
    "found..:/a..b|slow": ("In src/parser.py.", "Done, but slow.", False),
    "label:found..HEAD": ("In src/parser.py.", "Renamed.", False),
    "label:found...HEAD": ("In src/parser.py.", "Renamed.", True),
    "found..label:found": ("In src/parser.py.", "In src/parser.py.", False),
    "@1:found..HEAD~1": ("In src/parser.py.", "Only rename it.", False),
    "@1:found..@1:HEAD~1": ("In src/parser.py.", "Only rename it.", False),
    "found..@1:HEAD~1": ("In src/parser.py.", "Only rename it.", False),
    "@1:..found": ("Renamed.", "In src/parser.py.", False),
}


@pytest.mark.parametrize(("text", "ends"), RANGES.items())
def test_a_range_has_two_ends(resolve: Callable, text: str, ends: tuple[str | None, str | None, bool]) -> None:
    built = talk()

    found = resolve(built).range(text)

    assert found is not None
    start, end = (entry and entry.id for entry in (found.start, found.end))
    assert (start, end, found.symmetric) == (named(built, ends[0]), named(built, ends[1]), ends[2])


@pytest.mark.parametrize(
    "text",
    [
        "HEAD",
        "HEAD^{/a..b}",
        ":/a..b",
        "@1::/a..b",
        "../other.jsonl:HEAD",
        "a/../x.jsonl:HEAD",
        "../x",
        "HEAD^{/..}",
        ".",
    ],
)
def test_two_dots_in_a_pattern_or_a_path_make_no_range(resolve: Callable, text: str) -> None:
    assert resolve(talk()).range(text) is None


def test_a_range_in_a_session_named_by_its_path(resolve: Callable) -> None:
    found = resolve(talk()).range("../other.jsonl:HEAD~1..HEAD")

    assert found is not None
    assert [entry.id for entry in range_entries(found)] == [id_of(2)]


def test_the_ends_of_a_range_are_in_one_session(resolve: Callable) -> None:
    with pytest.raises(UsageFault, match="different sessions"):
        resolve(talk()).range("found..@2:HEAD")


def test_an_end_that_names_nothing_fails(resolve: Callable) -> None:
    with pytest.raises(NotFound, match="nosuch"):
        resolve(talk()).range("nosuch..HEAD")


def test_a_range_is_what_only_the_end_has_above_it(resolve: Callable) -> None:
    built = talk()

    found = resolve(built).range("-..HEAD")

    assert [entry.id for entry in range_entries(found)] == built.ids("Renamed.", "Only rename it.")


def test_a_symmetric_range_is_what_one_end_alone_has_above_it(resolve: Callable) -> None:
    built = talk()

    found = resolve(built).range("-...HEAD")

    label = id_of(8)
    expected = built.ids("Renamed.", "Only rename it.", "Done, but slow.", "Rewrite it.", label)
    assert [entry.id for entry in range_entries(found)] == expected


def test_the_fork_point_is_the_newest_entry_on_both_paths(resolve: Callable) -> None:
    built = talk()

    found = resolve(built).range("-...HEAD")

    assert fork_point(found).id == built.id("In src/parser.py.")


def test_trees_without_a_common_entry_have_no_fork_point(resolve: Callable) -> None:
    built = session().user("one").branch_at(None).user("two")

    assert fork_point(resolve(built).range(f"{built.id('one')}...HEAD")) is None


def test_an_ambiguous_prefix_lists_its_candidates(resolve: Callable) -> None:
    built = said("words", "abcd1111", "abcd2222")

    with pytest.raises(Ambiguous) as raised:
        resolve(built).point("abcd")

    assert raised.value.message.split("\n")[1:] == ["  abcd1111  words", "  abcd2222  words"]


def test_an_id_comes_before_a_label_and_a_label_before_a_prefix(resolve: Callable) -> None:
    built = session().user("one").user("two").label("0001beef", on="two").label("0002", on="one")
    resolver = resolve(built)

    assert resolver.point("0001beef").entry.id == built.id("one")
    assert resolver.point("0002").entry.id == built.id("one")
    assert resolver.point("label:0001beef").entry.id == built.id("two")


def test_a_keyword_comes_before_a_label(resolve: Callable) -> None:
    built = session().user("one").assistant("two").label("HEAD", on="one")
    resolver = resolve(built)

    assert resolver.point("HEAD").entry.id == built.id("two")
    assert resolver.point("label:HEAD").entry.id == built.id("one")


def test_a_label_on_two_entries_is_ambiguous(resolve: Callable) -> None:
    built = session().user("one").user("two").label("twice", on="one").label("twice", on="two")

    with pytest.raises(Ambiguous, match="several entries have the label twice"):
        resolve(built).point("twice")


@pytest.mark.parametrize("label", ["v1..v2", "a~b", "fix^2", "x~1", "a:b", "two words", "@{-1}x", "^", "数据"])
def test_a_label_may_hold_what_reads_like_something_else(resolve: Callable, label: str) -> None:
    built = session().user("one").assistant("two").label(label, on="one")
    resolver = resolve(built)

    assert resolver.range(f"label:{label}") is None
    assert resolver.point(f"label:{label}").entry.id == built.id("one")
    assert resolver.point(f"label:{label}~1").entry is ROOT


@pytest.mark.parametrize("label", ["v1..v2", "a~b", "fix^2", "x~1", "a:b"])
def test_a_label_that_names_nothing_else_needs_no_prefix(resolve: Callable, label: str) -> None:
    built = session().user("one").assistant("two").label(label, on="one")
    resolver = resolve(built)

    assert resolver.range(label) is None
    assert resolver.point(label).entry.id == built.id("one")


@pytest.mark.parametrize("entry_id", ["msg:1", "a..b", "a~1", "x^", "two words"])
def test_an_id_may_hold_what_reads_like_something_else(resolve: Callable, entry_id: str) -> None:
    resolver = resolve(said("one", entry_id).assistant("two"))

    assert resolver.range(entry_id) is None
    assert resolver.point(entry_id).entry.id == entry_id


def test_steps_go_over_bookkeeping(resolve: Callable) -> None:
    built = session().user("one").model("acme", "two").label("x", on="one").custom("note").assistant("two").name("n")

    resolver = resolve(built)

    assert resolver.point("HEAD").entry.id == built.id("two")
    assert resolver.point("HEAD~1").entry.id == built.id("one")
    assert resolver.point("LEAF").entry.id == id_of(6)
    assert resolver.point("LEAF~1").entry.id == built.id("two")


def test_a_pattern_step_finds_no_bookkeeping(resolve: Callable) -> None:
    built = session().user("about the parser").label("parser2").assistant("well")

    assert resolve(built).point("HEAD^{/parser}").entry.id == built.id("about the parser")


def test_a_pattern_finds_no_entry_that_another_one_has_replaced(resolve: Callable) -> None:
    built = session().user("old words").again("old words", message={"role": "user", "content": "new"})
    resolver = resolve(built)

    with pytest.raises(NotFound):
        resolver.point(":/old words")


def test_a_session_without_history_has_no_head(resolve: Callable) -> None:
    resolver = resolve(session().model("acme", "one"))

    assert resolver.point("LEAF").entry.id == id_of(1)
    with pytest.raises(NotFound, match="no entry yet"):
        resolver.point("HEAD")


def test_an_entry_of_another_session_is_not_ones_own(resolve: Callable) -> None:
    resolver = resolve(talk())

    assert resolver.point("@2:HEAD").entry.id == id_of(2)
    with pytest.raises(UsageFault, match="in another session"):
        resolver.own_entry("@2:HEAD")


def test_what_is_mistyped_is_guessed(resolve: Callable) -> None:
    with pytest.raises(NotFound) as raised:
        resolve(talk()).point("fuond")

    assert raised.value.hint == "did you mean found?"


def test_a_long_chain_of_steps_is_followed(resolve: Callable) -> None:
    built = session()
    for number in range(300):
        built.user(f"said {number}")

    assert resolve(built).point("HEAD" + "~1^" * 149).entry.id == built.id("said 1")


def test_entries_in_a_circle_end_the_path(resolve: Callable) -> None:
    built = session().user("one").user("two").user("three").hang("one", under="three")
    resolver = resolve(built)

    assert resolver.point("HEAD~2").entry.id == built.id("one")
    assert resolver.point("HEAD~3").entry is ROOT


def test_a_short_id_is_as_long_as_it_has_to_be(resolve: Callable) -> None:
    built = said("one", "0123456789-a", "0123456789-b", "fedcba9876")
    resolver = resolve(built)

    def short(entry_id: str) -> str:
        return Namer(resolver).short_id(resolver.session.get(entry_id), 8)

    assert short("0123456789-a") == "0123456789-a"
    assert short("fedcba9876") == "fedcba98"


def test_a_short_id_gives_way_to_a_label_of_that_name(resolve: Callable) -> None:
    built = said("one", "0123456789").user("two").label("01234567", on="two")
    resolver = resolve(built)

    assert Namer(resolver).short_id(resolver.session.get("0123456789"), 8) == "0123456789"


def test_an_entry_is_called_by_its_label_or_its_distance_from_head_or_its_id(resolve: Callable) -> None:
    built = talk().label("HEAD", on="Only rename it.")
    resolver = resolve(built)
    namer = Namer(resolver)

    called = {
        says: namer.symbolic(resolver.session.get(built.id(says)))
        for says in ("In src/parser.py.", "Only rename it.", "Renamed.", "Where is the parser?", "Done, but slow.")
    }

    assert called == {
        "In src/parser.py.": "found",
        "Only rename it.": "label:HEAD",
        "Renamed.": "HEAD",
        "Where is the parser?": "HEAD~5",
        "Done, but slow.": built.id("Done, but slow."),
    }


def test_all_named_entries_are_the_tips_and_those_with_labels(resolve: Callable) -> None:
    built = talk().label("tip", on="Done, but slow.")

    entries = named_entries(resolve(built).session)

    assert [entry.id for entry in entries] == built.ids("Renamed.", "Done, but slow.", "In src/parser.py.")


def test_where_the_leaf_was_is_what_the_log_showed(resolve: Callable) -> None:
    built = session().user("one").assistant("two", call("read")).label("x").name("n").checkout("one")

    assert resolve(built).point("-").entry.id == built.id("two")
