import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from builder import SessionBuilder, call, session, talk, text, tokens_used
from pisess_cli.core.reports.excerpt import branch_excerpt, whole_excerpt
from pisess_cli.core.session.session import Session
from pisess_cli.view.dates import date_format
from pisess_cli.view.export_html import html_page

NO_DATE = date_format("format:then")
MARKUP = '</script></style></title><script>alert(1)</script><img src=x onerror="alert(2)"><b>bold</b>&lt;'


def page(story: SessionBuilder, folder: Path, *, every: bool = True) -> str:
    file = Session(story.write(folder))
    excerpt = (whole_excerpt if every else branch_excerpt)(file, file.leaf, full=False)
    return "".join(html_page(excerpt, NO_DATE))


class Reader(HTMLParser):
    """What a browser would make of a page: its tags with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def everywhere(words: str) -> SessionBuilder:
    """A session that has the words in every place that a page shows."""
    fields = {"provider": words, "model": words, "usage": tokens_used(5, 0.1)}
    return (
        session(words, cwd=words)
        .name(words)
        .user([text(words), text(f"```{words}\n{words}\n```\n# {words}\n**{words}** `{words}`"), {"type": words}])
        .assistant(words, call(words, call_id=words, path=words, other=words), **fields)
        .label(words)
        .result(words, call_id=words, tool=words, isError=True)
        .bash(words, words, exitCode=1)
        .custom_message(words, customType=words)
        .entry(words, **{words: words})
        .message(words, words)
        .entry("message", id=words, message={"role": "user", "content": [{"type": "image", "mimeType": words}]})
        .compact(words)
        .branch_summary(words)
        .omit(words)
    )


def test_no_markup_comes_of_what_a_session_holds(tmp_path: Path) -> None:
    with_words = Reader(page(everywhere("words"), tmp_path))
    with_markup = Reader(page(everywhere(MARKUP), tmp_path))

    # The same elements stand there, whatever the words are.
    assert [tag for tag, _ in with_markup.tags] == [tag for tag, _ in with_words.tags]
    assert [set(attributes) for _, attributes in with_markup.tags] == [set(found) for _, found in with_words.tags]
    assert "alert(1)" in with_markup.text


@pytest.mark.parametrize("words", ["<script>alert(1)", "<img src=x", "<b>bold</b>"])
def test_the_file_lacks_what_would_be_markup(tmp_path: Path, words: str) -> None:
    assert words not in page(everywhere(MARKUP), tmp_path)


def test_the_policy_comes_before_all_that_it_governs(tmp_path: Path) -> None:
    html = page(talk(), tmp_path)

    reader = Reader(html)
    policy = next(meta["content"] or "" for meta in reader.all("meta") if "http-equiv" in meta)
    assert html.index("Content-Security-Policy") < html.index("<style") < html.index("<script")
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy


def test_nothing_names_another_place(tmp_path: Path) -> None:
    reader = Reader(page(talk(), tmp_path))

    targets = [value for _, attributes in reader.tags for key, value in attributes.items() if key in ("src", "href")]
    assert {target.partition(":")[0][:1] for target in targets if target} == {"#", "d"}
    assert not re.search(r"url\(|@import|https?:", page(session().user("hi"), tmp_path))


def test_control_characters_and_overrides_are_spelled_out(tmp_path: Path) -> None:
    html = page(everywhere("\x1b[31m\x00\x07\u202e\u2066"), tmp_path)

    assert not set("\x1b\x00\x07\u202e\u2066") & set(html)
    assert "␛[31m␀␇&lt;U+202E&gt;&lt;U+2066&gt;" in html


def test_images_are_shown_in_place_if_their_type_is_harmless(tmp_path: Path) -> None:
    kinds = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "text/html", 'image/png" x="', None]
    story = session().user([{"type": "image", "mimeType": kind, "data": "AAAA"} for kind in kinds])

    reader = Reader(page(story, tmp_path))

    assert [image["src"] for image in reader.all("img")] == [f"data:{kind};base64,AAAA" for kind in kinds[:4]]
    assert "image/svg+xml, 3 bytes" in reader.text


@pytest.mark.parametrize("data", ['AAAA"', "AA<A", "AAA", "", "AA AA", None, 5])
def test_images_of_other_data_are_not(tmp_path: Path, data: object) -> None:
    story = session().user([{"type": "image", "mimeType": "image/png", "data": data}])

    assert Reader(page(story, tmp_path)).all("img") == []


def test_the_current_branch_alone_is_shown_at_first(tmp_path: Path) -> None:
    story = talk()

    articles = Reader(page(story, tmp_path)).all("article")

    hidden = [article["id"] for article in articles if "hidden" in article]
    assert hidden == [f"e-{entry_id}" for entry_id in story.ids("Rewrite it.", "Done, but slow.")]
    assert len(articles) == 8


def test_a_branch_alone_holds_nothing_of_the_others(tmp_path: Path) -> None:
    html = page(talk(), tmp_path, every=False)

    assert "Rewrite it." not in html
    assert len(Reader(html).all("option")) == 1


def test_the_page_knows_where_each_parent_stands(tmp_path: Path) -> None:
    html = page(talk(), tmp_path)

    tree = re.search(r'<script type="application/json" id="tree">(.*?)</script>', html)
    assert tree is not None
    assert json.loads(tree[1]) == {"parents": [-1, 0, 1, 2, 3, 4, 3, 6], "tip": 7}


def test_every_branch_can_be_chosen_the_current_one_first(tmp_path: Path) -> None:
    reader = Reader(page(talk(), tmp_path))

    assert [(option["value"], "selected" in option) for option in reader.all("option")] == [("7", True), ("5", False)]


def test_a_result_is_headed_by_its_call(tmp_path: Path) -> None:
    html = page(talk(), tmp_path)

    assert '<details class="tool"><summary><code>read: src/parser.py</code> · 1 line</summary>' in html


def test_long_texts_are_folded(tmp_path: Path) -> None:
    html = page(session().user("long " * 5000), tmp_path)

    assert "long… (25,000 characters)</summary>" in html


def test_a_session_without_entries_is_a_page(tmp_path: Path) -> None:
    assert Reader(page(session(), tmp_path)).all("main") == [{"id": "entries"}]


def test_a_newline_at_the_start_of_an_output_stays(tmp_path: Path) -> None:
    assert "<pre>\n\nout</pre>" in page(session().user("hi").result("\nout"), tmp_path)


def test_what_it_cost_counts_bookkeeping_too(tmp_path: Path) -> None:
    story = session().user("hi").assistant("yes", usage=tokens_used(1000, 1.5))
    story.entry("usage", provider="acme", model="two", usage=tokens_used(200, 0.25)).result("ok", usage=tokens_used(34))

    assert "Models: acme/one, acme/twoTokens: 1,234Cost: $1.75" in re.sub(
        "<dt>|</dt>(<dd>)?|<[^>]*>", "", _facts(page(story, tmp_path))
    )


def _facts(html: str) -> str:
    return html[html.index("<dl") : html.index("</dl>")].replace("</dt>", ": ")
