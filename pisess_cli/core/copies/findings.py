"""What `fsck` can find: the codes of its findings, how bad each of them is, and what a repair does about it."""

from typing import Literal, NamedTuple, TypeAlias

from pisess_cli.core.format.javascript import Maybe, shown

Severity: TypeAlias = Literal["error", "warning", "note"]
_SHOWN_LENGTH = 60


class Code(NamedTuple):
    """What a finding's code means, and what `--repair` does about it (empty: nothing)."""

    severity: Severity
    meaning: str
    repair: str = ""


CODES: dict[str, Code] = {
    "bad-line": Code("error", "the line is no JSON; Pi passes it over", "leaves it out"),
    "torn-tail": Code("error", "the last line is cut off; Pi passes it over", "leaves it out"),
    "interleaved": Code("error", "lines were written into each other; Pi passes them over", "keeps what is whole"),
    "not-entry": Code("error", "the line is JSON, but no entry", "leaves it out"),
    "missing-header": Code("error", "the file does not begin with a header; Pi refuses it", "puts one there"),
    "extra-header": Code("error", "a header stands among the entries; Pi passes it over", "leaves it out"),
    "missing-id": Code("error", "an entry has no id", "gives it one"),
    "duplicate-id": Code("error", "several entries have one id; Pi sees the last", "gives the others new ids"),
    "missing-parent": Code("error", "an entry's parent is not in the file", "puts it below what stands before it"),
    "self-parent": Code("error", "an entry is its own parent; Pi hangs", "puts it below what stands before it"),
    "cycle": Code("error", "entries are their own ancestors; Pi hangs", "cuts the circle"),
    "first-kept": Code(
        "error", "what a compaction keeps first is not on its path; Pi keeps nothing", "names what is there, or nothing"
    ),
    "no-message": Code("error", "a message entry has no message; Pi fails", "leaves it out"),
    "edit-target": Code("error", "what a context edit changes is not in the file", "leaves it out"),
    "label-target": Code("error", "what a label names is not in the file", "leaves it out"),
    "result-without-call": Code("error", "a tool result answers no call; model providers refuse it", "leaves it out"),
    "call-without-result": Code(
        "error", "a tool call has no result, and the conversation went on", "adds one that says so"
    ),
    "two-writers": Code("warning", "two branches grew at the same time, as if two programs wrote"),
    "time-backwards": Code("warning", "an entry is older than its parent"),
    "bad-time": Code("warning", "an entry's timestamp is no date"),
    "no-final-newline": Code("note", "the last line is whole, but does not end", "ends it"),
    "pending-call": Code("note", "a tool call has no result yet"),
    "unknown-type": Code("note", "Pi does not know the entry's type, and passes it over"),
    "unknown-role": Code("note", "Pi does not know the message's role; models do not get it"),
}
"""All codes, in the order in which the findings of a line are given. Later releases do not change what a code means."""


class Finding(NamedTuple):
    """One fault. `line` counts from 1; `entry` is the id of the entry there, None where it has none."""

    code: str
    line: int
    entry: str | None
    message: str

    @property
    def severity(self) -> Severity:
        """How bad it is: errors and warnings are faults, notes are not."""
        return CODES[self.code].severity

    @property
    def is_fault(self) -> bool:
        """Whether the file is to be called damaged because of it."""
        return self.severity != "note"


class Action(NamedTuple):
    """What a repair does about a line; `entry` is the id of the entry there, None where it has none."""

    line: int
    entry: str | None
    what: str


def shorten(value: Maybe) -> str:
    """A value of the file for a message: ids and names are as long as whoever wrote it liked."""
    text = shown(value) if value is not None else "none"
    return text if len(text) <= _SHOWN_LENGTH else f"{text[: _SHOWN_LENGTH - 1]}…"
