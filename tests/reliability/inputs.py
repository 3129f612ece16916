"""What the fuzzer feeds to pisess: a command line and a session file in one block of bytes, so that a find can be kept.

A block's first line is a JSON list, the words of the command line; the rest is the session file. New blocks come from
the makers of `hostile.py`, or from older ones by changes that mostly leave the lines JSON.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from hostile import IDS, Maker, header, line_of

REVISIONS = [
    "HEAD",
    "@",
    "LEAF",
    "ROOT",
    "-",
    "@{-1}",
    "@{-3}",
    "HEAD~2",
    "HEAD^",
    "HEAD~0",
    "LEAF^{user}",
    "HEAD^{assistant}",
    "HEAD^{compaction}",
    "HEAD^{/hi}",
    ":/yes",
    "good",
    "label:bad",
    "aaaa",
    "cccc1111",
    "0001beef",
    "0005beef",
    "s:HEAD",
    "s:LEAF~1",
    "HEAD^{nonsense}",
    "no-such",
]
RANGES = ["HEAD~2..HEAD", "HEAD...LEAF", "ROOT..HEAD", "good..bad", "aaaa1111..LEAF", "s:HEAD~1..HEAD", ".."]

# REV and RANGE stand for one of those above.
READING = [
    "log",
    "log REV",
    "log --graph --all",
    "log --graph --all --oneline --full REV",
    "log -p --stat --full",
    "log --full --json REV",
    "log --json --all",
    "log --reverse --grep hi -i RANGE",
    "log --all --since 2026-03-01 --until yesterday --role user --type compaction",
    "log --full --format %h|%H|%p|%t|%r|%s|%b|%ad|%ar|%at|%d|%T|%c|%m|%n",
    "show REV",
    "show --raw REV",
    "show --json REV",
    "show-context REV",
    "show-context --json REV",
    "show-context --llm --system",
    "show-context --explain REV",
    "show-context --tokens REV",
    "find",
    "find --json --sort messages",
    "find hi",
    "find -i -E y.s --json",
    "find -c evil",
    "find --secrets --json",
    "find --role user --tool read --model one --label good hi",
    "find --file x --branch current",
    "stats",
    "stats --all --by session --json",
    "stats --by tool --branch REV",
    "stats --by day --utc --all",
    "diff REV REV",
    "diff -p --stat REV REV",
    "diff --context REV REV",
    "diff --json REV REV",
    "reflog",
    "reflog --json -n 3",
    "branch",
    "branch -v --json",
    "branch -v --contains REV",
    "branch --tree",
    "label",
    "label --json",
    "name",
    "rev-parse REV REV",
    "rev-parse --all --short",
    "rev-parse --symbolic RANGE",
    "export --format markdown --all --full",
    "export --format html --all --full REV",
    "export --format jsonl REV",
    "export --format sqlite -o OUT",
    "fsck",
    "fsck --json",
    "fsck --all",
    "fsck --repair OUT",
    "migrate --dry-run",
    "continue --print",
    "compact --dry-run --keep-recent 1",
    "checkout --dry-run REV",
    "fork --dry-run --at REV",
    "prune --keep HEAD --strip-images --max-output 50 -o OUT",
    "prune --branch REV --dry-run --json",
    "prune --merged-into HEAD --older-than 1d -o OUT",
    "redact REV --secrets -o OUT",
    "redact --text hi --pattern y.s -i --dry-run",
]
APPENDING = [
    "checkout REV",
    "checkout --root",
    "checkout --tip REV",
    "checkout --before REV -m gone",
    "branch other REV",
    "label mark REV",
    "label -f -d good",
    "name a-name",
    "name -d",
    "edit --omit REV",
    "edit -m other REV",
    "edit --restore REV",
    "compact -m short --keep-recent 1",
    "compact -m short --first-kept REV",
    "undo",
    "append message -m more",
    "append custom --custom-type x --data {} --parent REV",
    "append label --target REV -m L",
]
MAKING = ["fork", "fork --at REV", "fork --to elsewhere --name n", "mv --to elsewhere", "migrate", "new -m hi"]
COMMAND_LINES = [*READING, *READING, *APPENDING, *MAKING]

TEXTS = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\link",
    "\x9b2J",
    "\x90q\x9c",
    "\u202eevil\u2066",
    "\r over",
    "\x08\x08",
    "\x7f\x00",
    "\u200b\ufeff\u200d\ufe0f",
    "\u2028\u2029\x85",
    "[red]markup[/red]",
    "<script>&amp;",
    "../../x",
    "/dev/zero",
    "\ud800",
    "👩‍👩‍👧e\u0301",
    "%s%n{}",
    "a" * 300,
]
NUMBERS: list[Any] = [0, -1, 2**53, 10**30, -(10**400), 1e308, 5e-324, 0.1, 253402300800000, -62135596800001]
_LONGEST = 64 * 1024


class Input(NamedTuple):
    """A command line and the session file that it is about."""

    words: tuple[str, ...]
    data: bytes

    @classmethod
    def parse(cls, block: bytes) -> "Input":
        """The input of a block; whatever its first line holds, there is a command line."""
        line, _, data = block.partition(b"\n")
        try:
            words = json.loads(line)
        except (ValueError, RecursionError):
            words = None
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            words = READING[len(line) % len(READING)].split()
        return cls(tuple(words), data)

    @property
    def block(self) -> bytes:
        """The input as a block."""
        return json.dumps(self.words).encode() + b"\n" + self.data


def made(seed: int) -> Input:
    """A new input; the same one for the same seed."""
    maker = Maker(seed)
    size = maker.choice([0, 1, 2, 4, 8, 16, 40])
    version = maker.mostly([3], [1, 2, None, "3", 9])
    chain = b"".join(line_of(entry) + b"\n" for entry in maker.chain(size))
    body = chain if maker.randrange(3) else maker.body(size)
    found = Input(_command_line(maker), header(version) + body)
    return changed(found, maker) if maker.randrange(2) else found


def changed(found: Input, maker: Maker) -> Input:
    """Another input from this one."""
    if not maker.randrange(3):
        found = found._replace(words=_command_line(maker))
    lines = found.data.split(b"\n")
    for _ in range(maker.choice([0, 1, 1, 2, 4])):
        lines = maker.choice(_CHANGES)(lines, maker)
    return found._replace(data=b"\n".join(lines)[:_LONGEST])


def crossed(one: Input, other: Input, maker: Maker) -> Input:
    """The beginning of one file and the end of another."""
    first, second = one.data.split(b"\n"), other.data.split(b"\n")
    lines = first[: maker.randrange(len(first)) + 1] + second[maker.randrange(len(second)) :]
    return Input(maker.choice([one, other]).words, b"\n".join(lines)[:_LONGEST])


def _command_line(maker: Maker) -> tuple[str, ...]:
    def fill(word: str) -> str:
        if word == "REV":
            return str(maker.choice(REVISIONS + IDS))
        return maker.choice(RANGES) if word == "RANGE" else word

    return tuple(fill(word) for word in maker.choice(COMMAND_LINES).split(" "))


def _with_other_line(lines: list[bytes], maker: Maker) -> list[bytes]:
    at = maker.randrange(len(lines) + 1)
    return [*lines[:at], maker.line(), *lines[at:]]


def _without_line(lines: list[bytes], maker: Maker) -> list[bytes]:
    at = maker.randrange(len(lines))
    return [*lines[:at], *lines[at + 1 :]] or [b""]


def _with_line_again(lines: list[bytes], maker: Maker) -> list[bytes]:
    return [*lines, maker.choice(lines), b""]


def _shuffled(lines: list[bytes], maker: Maker) -> list[bytes]:
    rest = lines[1:]
    maker.shuffle(rest)
    return [lines[0], *rest]


def _cut(lines: list[bytes], maker: Maker) -> list[bytes]:
    data = b"\n".join(lines)
    return data[: maker.randrange(len(data) + 1)].split(b"\n")


def _with_byte(lines: list[bytes], maker: Maker) -> list[bytes]:
    data = b"\n".join(lines)
    at = maker.randrange(len(data) + 1)
    piece = maker.choice([b"\n", b"\r", b"\x00", b"\xff", b"\xe2\x80", b'"', b"\\", b"{", b"]", maker.randbytes(2)])
    return (data[:at] + piece + data[at + maker.randrange(2) :]).split(b"\n")


def _with_other_value(lines: list[bytes], maker: Maker) -> list[bytes]:
    at = maker.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return lines
    return [*lines[:at], line_of(_altered(value, maker)), *lines[at + 1 :]]


def _altered(value: Any, maker: Maker, depth: int = 6) -> Any:
    # The value with one thing in it that is another.
    if depth and isinstance(value, dict) and value and maker.randrange(6):
        key = maker.choice(list(value))
        return value | {key: _altered(value[key], maker, depth - 1)}
    if depth and isinstance(value, list) and value and maker.randrange(6):
        at = maker.randrange(len(value))
        return [*value[:at], _altered(value[at], maker, depth - 1), *value[at + 1 :]]
    return maker.choice(_VALUES)(maker)


def _nested(maker: Maker) -> Any:
    value: Any = maker.anything()
    for _ in range(maker.choice([3, 30, 300])):
        value = [value] if maker.randrange(2) else {"content": value}
    return value


_VALUES: list[Callable[[Maker], Any]] = [
    Maker.anything,
    Maker.id,
    Maker.content,
    Maker.message,
    Maker.usage,
    lambda maker: maker.choice(TEXTS),
    lambda maker: maker.choice(TEXTS) + str(maker.word()) + maker.choice(TEXTS),
    lambda maker: maker.choice(NUMBERS),
    _nested,
]
_CHANGES: list[Callable[[list[bytes], Maker], list[bytes]]] = [
    _with_other_line,
    _with_other_value,
    _with_other_value,
    _with_other_value,
    _with_other_value,
    _without_line,
    _with_line_again,
    _shuffled,
    _cut,
    _with_byte,
]
