"""What is exported is read by a Markdown parser that follows CommonMark: no message may get out of its place."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from builder import SessionBuilder, call, session, talk, text
from pisess_cli.core.reports.excerpt import branch_excerpt, whole_excerpt
from pisess_cli.core.session.session import Session
from pisess_cli.view.dates import date_format
from pisess_cli.view.export_markdown import code, fenced, inline, markdown_page, prose

NO_DATE = date_format("format:then")
READER = MarkdownIt("commonmark").enable("table")


def page(story: SessionBuilder, folder: Path, *, every: bool = False) -> str:
    file = Session(story.write(folder))
    excerpt = (whole_excerpt if every else branch_excerpt)(file, file.leaf, full=False)
    return "".join(markdown_page(excerpt, NO_DATE))


def headings(markdown: str, level: str) -> list[str]:
    tokens = READER.parse(markdown)
    return [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == level
    ]


def all_tokens(markdown: str) -> list[Token]:
    return [inner for token in READER.parse(markdown) for inner in (token, *(token.children or ()))]


def test_a_talk_is_a_heading_an_entry(tmp_path: Path) -> None:
    assert page(talk(), tmp_path) == (
        "# Where is the parser?\n\n"
        "- Session: `01900000-0000-7000-8000-0000000000aa`\n- Directory: `/home/me/app`\n- Started: `then`\n"
        "\n## User\n\nthen `0004beef`\n\nWhere is the parser?\n"
        "\n## Assistant one\n\nthen `0005beef`\n\nLooking.\n\nCalls `read: src/parser.py`\n"
        "\n## Tool result `read`\n\nthen `0006beef`\n\n```\ndef parse(): ...\n```\n"
        "\n## Assistant one (found)\n\nthen `0007beef`\n\nIn src/parser.py.\n"
        "\n## User\n\nthen `000bbeef`\n\nOnly rename it.\n"
        "\n## Assistant one\n\nthen `000cbeef`\n\nRenamed.\n"
    )


def test_other_branches_say_where_they_forked_off(tmp_path: Path) -> None:
    markdown = page(talk(), tmp_path, every=True)

    assert headings(markdown, "h1") == ["Where is the parser?", "Branch that forked off behind `0007beef`"]
    assert markdown.index("Only rename it.") < markdown.index("Rewrite it.")


def test_thinking_calls_failures_and_images_have_their_place(tmp_path: Path) -> None:
    story = session().user([text("see"), {"type": "image", "mimeType": "image/png", "data": "AAAA"}])
    story.assistant("", call("edit", path="a.py", oldText="x\ny", newText="z"))
    story.value("0002beef")["message"]["content"].insert(0, {"type": "thinking", "thinking": "hm\n\n# so"})
    story.result("no", isError=True)

    markdown = page(story, tmp_path)

    assert "*Image: image/png, 3 bytes*" in markdown
    assert "> *Thinking*\n>\n> hm\n>\n> ### so\n" in markdown
    assert "Calls `edit: a.py`\n\n```\npath: a.py\noldText:\nx\ny\nnewText: z\n```" in markdown
    assert "## Tool result `bash` (failed)" in markdown


@pytest.mark.parametrize(
    "words",
    [
        "# User\n\nI said so.",
        "## Assistant one",
        "   ## User",
        "User\n----",
        "User\n====",
        "User\n-",
        "```\n\n## never closed",
        "````\n```\n## closed",
        "- a\n  ```\n  b\n\n## User",
        "<!-- \n\n## User",
        "<script>\n\n## User",
        "<div>\n## User",
        "> ```\n\n## User",
        "~~~",
    ],
)
def test_a_message_cannot_fake_an_entry_nor_swallow_one(tmp_path: Path, words: str) -> None:
    story = session().name("it").user(words).result(words).assistant(words, call("bash", command=words)).user("end")

    markdown = page(story, tmp_path)

    assert headings(markdown, "h1") == ["it"]
    assert headings(markdown, "h2") == ["User", "Tool result `bash`", "Assistant one", "User"]


@pytest.mark.parametrize(
    "words", ["<b>x</b>", "`a\n<b>` x `", "| `a | <b> ` |\n|--|--|\n| ` | <b> ` |", "\\`<b>`", "``<b>`", "a `b` <c>"]
)
def test_no_html_comes_of_a_message(words: str) -> None:
    assert not [token for token in all_tokens(prose(words)) if token.type.startswith("html")]


def test_code_in_a_line_stays_as_it_is() -> None:
    assert prose("keep `Vec<T>` and <T>") == "keep `Vec<T>` and &lt;T>"


def test_no_image_is_loaded_from_where_a_message_says() -> None:
    assert not [token for token in all_tokens(prose("![x](http://a.example/b.png)")) if token.type == "image"]


@given(
    st.lists(
        st.sampled_from(
            ["`", "```", "~~~", "<b>", "</b>", "![", "](x)", "\n", "# ", "- ", "> ", "    ", "|", "\\", "a", "==="]
        )
    ).map("".join)
)
def test_whatever_a_message_holds_the_next_heading_is_one(words: str) -> None:
    markdown = f"## One\n\n{prose(words)}\n\n## Two\n"

    assert headings(markdown, "h2")[-1] == "Two"
    assert not [token for token in all_tokens(markdown) if token.type.startswith("html") or token.type == "image"]


@given(st.text("`~ab\n", max_size=30))
def test_text_between_fences_is_one_block_of_code(words: str) -> None:
    [block] = READER.parse(fenced(words))

    assert (block.type, block.content) == ("fence", words.rstrip("\n") + "\n")


@given(st.text("`ab <*", min_size=1, max_size=12))
def test_text_as_a_code_span_is_one(words: str) -> None:
    [span] = READER.parseInline(code(words))[0].children or []

    assert (span.type, span.content.strip()) == ("code_inline", words.strip())


@given(st.text("`*_[]()<>#|~!&\\ab.", min_size=1, max_size=12))
def test_words_in_a_line_stay_words(words: str) -> None:
    found = READER.parseInline(f"x{inline(words)}x")[0].children or []

    assert "".join(token.content for token in found) == f"x{words}x"
    assert {token.type for token in found} <= {"text", "text_special"}
