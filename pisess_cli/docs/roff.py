"""Text and Markdown as input for man: what the pages are written with."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.deflist import deflist_plugin

_SPELLING = {"\\": r"\e", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
_SPECIAL = re.compile(r"[\\'`^~]|[^\x00-\x7f]")
_OPTION_DASH = re.compile(r"(?<![\w-])--?(?=[\w])")
_HELP = MarkdownIt("zero").enable("backticks")
_FRAGMENT = MarkdownIt("commonmark").use(deflist_plugin)


def escape(text: str) -> str:
    """Prose; the dashes of options come out as they are typed."""
    spelled = _SPECIAL.sub(lambda found: _SPELLING.get(found[0]) or f"\\[u{ord(found[0]):04X}]", text)
    return _OPTION_DASH.sub(lambda dashes: dashes[0].replace("-", r"\-"), spelled)


def literal(text: str) -> str:
    """Text in which every character counts."""
    return escape(text).replace(r"\-", "-").replace("-", r"\-")


def bold(text: str) -> str:
    """What is typed as it stands."""
    return rf"\fB{literal(text)}\fR"


def italic(text: str) -> str:
    """What stands for something else."""
    return rf"\fI{literal(text)}\fR"


def line(text: str) -> str:
    """A line of input that no macro begins."""
    return rf"\&{text}" if text.startswith((".", "'")) else text


def inline(text: str) -> str:
    """A paragraph of a help text, on one line: `code` is what may be marked in it."""
    tokens = _HELP.parseInline(text)[0].children or []
    marked = (bold(token.content) if token.type == "code_inline" else escape(token.content) for token in tokens)
    return line(" ".join("".join(marked).split()))


def example(lines: list[str]) -> Iterator[str]:
    """Lines shown as they stand, indented."""
    yield ".RS 4"
    yield ".EX"
    yield from (line(literal(text)) for text in lines)
    yield ".EE"
    yield ".RE"


def sections(markdown: str) -> dict[str, list[SyntaxTreeNode]]:
    """A fragment's sections by their titles; each begins with a heading of the first level."""
    found: dict[str, list[SyntaxTreeNode]] = {}
    blocks: list[SyntaxTreeNode] = []
    for node in SyntaxTreeNode(_FRAGMENT.parse(markdown)).children:
        if node.type == "heading" and node.tag == "h1":
            blocks = found[node.children[0].content] = []
        else:
            blocks.append(node)
    return found


def render(blocks: list[SyntaxTreeNode], paragraph: str = ".PP") -> Iterator[str]:
    """Blocks of a fragment: paragraphs, code, lists of terms, bullets, and headings of the second level.

    `paragraph` is the macro between two of them: nothing that comes first may begin with one.
    """
    follows = False
    for block in blocks:
        if block.type == "heading":
            yield f".SS {_spans(block.children[0])}"
            follows = False
            continue
        if block.type == "dl":
            yield from _terms(block)
        elif block.type == "bullet_list":
            for item in block.children:
                yield r".IP \(bu 2"
                yield from render(item.children, ".IP")
        else:
            if follows:
                yield paragraph
            if block.type == "paragraph":
                yield from _spans(block.children[0]).splitlines()
            else:
                yield from example(block.content.rstrip("\n").split("\n"))
        follows = True


def _terms(block: SyntaxTreeNode) -> Iterator[str]:
    for child in block.children:
        if child.type == "dt":
            yield ".TP"
            yield _spans(child.children[0])
        else:
            yield from render(child.children, ".IP")


def _spans(node: SyntaxTreeNode) -> str:
    # The marked text of an inline node, a line for each line of the source.
    parts: list[str] = []
    for child in node.children:
        if child.type == "softbreak":
            parts.append("\n")
        elif child.type == "code_inline":
            parts.append(bold(child.content))
        elif child.children:
            mark = r"\fI" if child.type == "em" else r"\fB"
            parts.append(rf"{mark}{_spans(child)}\fR")
        else:
            parts.append(escape(child.content))
    return "\n".join(line(text) for text in "".join(parts).split("\n"))
