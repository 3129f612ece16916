import pytest

from pisess_cli.view.prose import Block, blocks, prose_html


def html(text: str) -> str:
    return "".join(prose_html(text))


def test_code_stands_apart_from_prose() -> None:
    assert list(blocks("a\n```py\nb\n```\nc")) == [Block("a", False), Block("b", True, "py"), Block("c", False)]


@pytest.mark.parametrize(
    "text",
    [
        "````\n```\nb\n```\n````",
        "~~~\n```\nb\n```\n~~~",
        "````\n```\nb\n```\n`````",
        "  ````\n```\nb\n```\n   ````  ",
    ],
)
def test_a_fence_is_closed_by_its_like_only(text: str) -> None:
    assert [block.text for block in blocks(text) if block.is_code] == ["```\nb\n```"]


def test_a_fence_that_is_never_closed_goes_on_to_the_end() -> None:
    assert list(blocks("```\na\nb"))[1:] == [Block("a\nb", True)]


@pytest.mark.parametrize("text", ["    ```\na", "```a`b\nc", "a ```"])
def test_what_is_no_fence_opens_nothing(text: str) -> None:
    assert list(blocks(text)) == [Block(text, False)]


def test_every_character_that_html_obeys_is_escaped() -> None:
    assert html("<b>&\n```\n<i>&\n```") == (
        '<div class="text">&lt;b&gt;&amp;</div><pre><code>&lt;i&gt;&amp;</code></pre>'
    )


def test_the_language_of_a_fence_cannot_leave_its_attribute() -> None:
    assert '<pre data-language="&quot;&gt;&lt;script&gt;">' in html('```"><script>\na\n```')


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("say `x < y` so", "say <code>x &lt; y</code> so"),
        ("**never** so", "<strong>**never**</strong> so"),
        ("## Head *x*", '<strong class="head">## Head *x*</strong>'),
        ("2 ** 3 ** 4", "2 <strong>** 3 **</strong> 4"),
        ("a ` b", "a ` b"),
        ("#tag", "#tag"),
    ],
)
def test_marks_are_shown_and_the_text_stays(text: str, shown: str) -> None:
    assert html(text) == f'<div class="text">{shown}</div>'
