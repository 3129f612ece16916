import json
from pathlib import Path

import pytest

from builder import SessionBuilder, session, talk
from pisess_cli.core.errors import NotFound
from pisess_cli.core.reports.excerpt import Excerpt, branch_excerpt, file_chunks, path_lines, whole_excerpt
from pisess_cli.core.session.session import Session


def opened(story: SessionBuilder, folder: Path) -> Session:
    return Session(story.write(folder))


def branch(story: SessionBuilder, folder: Path, words: str | None = None, *, full: bool = False) -> Excerpt:
    file = opened(story, folder)
    return branch_excerpt(file, file.leaf if words is None else file.get(story.id(words)), full=full)


def whole(story: SessionBuilder, folder: Path, *, full: bool = False) -> Excerpt:
    file = opened(story, folder)
    return whole_excerpt(file, file.leaf, full=full)


def ids(excerpt: Excerpt) -> list[object]:
    return [entry.id for entry in excerpt.entries]


def forked() -> SessionBuilder:
    return session().user("hi").assistant("yes").branch_at("hi").assistant("no").user("why").branch_at("yes").user("ok")


def test_a_branch_has_the_history_entries_of_the_path_oldest_first(tmp_path: Path) -> None:
    story = talk()

    excerpt = branch(story, tmp_path)

    assert ids(excerpt) == story.ids(
        "Where is the parser?", "Looking.", "def parse(): ...", "In src/parser.py.", "Only rename it.", "Renamed."
    )


def test_a_full_branch_has_bookkeeping_too(tmp_path: Path) -> None:
    story = session().model("acme", "one").user("hi").label("good")

    assert len(branch(story, tmp_path, full=True).entries) == 3


def test_a_branch_that_ends_at_bookkeeping_ends_at_what_stands_above(tmp_path: Path) -> None:
    story = session().user("hi").label("good")

    assert branch(story, tmp_path).tip.id == story.id("hi")  # type: ignore[union-attr]  # there is one


def test_a_label_counts_wherever_it_is_set(tmp_path: Path) -> None:
    story = session().user("hi").assistant("yes").branch_at("hi").label("good", on="hi")

    excerpt = branch(story, tmp_path, "yes")

    label = excerpt.label_of(excerpt.entries[0])
    assert label is not None
    assert label.text == "good"


def test_the_whole_has_every_entry_behind_its_parent(tmp_path: Path) -> None:
    story = forked()

    assert ids(whole(story, tmp_path)) == story.ids("hi", "yes", "ok", "no", "why")


def test_an_entry_that_stands_before_its_parent_in_the_file_is_put_behind_it(tmp_path: Path) -> None:
    story = session().user("child").branch_at(None).user("parent").hang("child", under="parent")

    assert ids(whole(story, tmp_path)) == story.ids("parent", "child")


def test_a_circle_of_parents_is_cut(tmp_path: Path) -> None:
    story = session().user("a").user("b").user("c").hang("a", under="c")

    assert sorted(map(str, ids(whole(story, tmp_path)))) == story.ids("a", "b", "c")


def test_the_sections_are_the_current_branch_then_what_others_have_beside_it(tmp_path: Path) -> None:
    story = forked()

    first, second = whole(story, tmp_path).sections()

    assert (first.fork, [entry.id for entry in first.entries]) == (None, story.ids("hi", "yes", "ok"))
    assert second.fork is not None
    assert (second.fork.id, [entry.id for entry in second.entries]) == (story.id("hi"), story.ids("no", "why"))


def test_the_first_branch_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    story = forked()
    file = opened(story, tmp_path)

    excerpt = whole_excerpt(file, file.get(story.id("why")), full=False)

    assert excerpt.first_branch == set(story.ids("hi", "no", "why"))


@pytest.mark.parametrize(
    ("story", "title"),
    [
        (session().user("first\nmore").name("The name"), "The name"),
        (session().user("first\nmore").user("second"), "first"),
        (session("the-id").model("acme", "one"), "the-id"),
    ],
)
def test_the_title_is_the_name_or_the_first_words_or_the_id(tmp_path: Path, story: SessionBuilder, title: str) -> None:
    assert branch(story, tmp_path).title == title


def test_a_path_as_a_session_has_a_header_of_its_own(tmp_path: Path) -> None:
    story = forked()
    file = opened(story, tmp_path)

    header, *lines = [json.loads(line) for line in path_lines(file, file.get(story.id("yes")))]

    assert header["id"] != file.header.id
    assert (header["cwd"], header["parentSession"]) == (file.header.cwd, str(file.path.resolve()))
    assert [line["id"] for line in lines] == story.ids("hi", "yes")


def test_no_path_leads_to_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing to export"):
        path_lines(opened(session().user("hi"), tmp_path), None)


def test_the_copy_of_a_file_has_its_bytes(tmp_path: Path) -> None:
    story = session().user("hi" * 1_000_000).raw(b"no JSON").torn()

    assert b"".join(file_chunks(opened(story, tmp_path))) == story.data
