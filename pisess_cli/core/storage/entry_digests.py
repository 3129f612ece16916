"""The digests of messages, read together with their entries instead of decoding all of them later."""

import msgspec
from msgspec import UNSET, Raw, UnsetType

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Digest, Entry, Envelope, MessageHead, Source, read_entry
from pisess_cli.core.format.entry_text import CALL_SUBJECTS, call_about, call_line, first_line, wordless
from pisess_cli.core.format.javascript import BadLine, shown
from pisess_cli.core.storage.session_file import SessionFile

# Their words stand elsewhere than in their content.
_OTHER_ROLES = ("bashExecution", "branchSummary", "compactionSummary")


class _Block(msgspec.Struct, gc=False):
    type: str | UnsetType | None = UNSET
    text: Raw | UnsetType = UNSET
    name: str | UnsetType | None = UNSET
    arguments: Raw | UnsetType = UNSET


class _Message(MessageHead, gc=False):
    model: str | UnsetType | None = UNSET
    content: list[_Block] | str | UnsetType | None = UNSET


class _Digestible(Envelope, gc=False):
    message: _Message | UnsetType = UNSET


_Subjects = msgspec.defstruct("_Subjects", [(name, str | UnsetType | None, UNSET) for name in CALL_SUBJECTS], gc=False)
_decode_subjects = msgspec.json.Decoder(_Subjects).decode
_decode_digestible = msgspec.json.Decoder(_Digestible).decode


class Digested:
    """The entries of a file of the current version with their digests, read in the memory of those alone.

    What else is asked of an entry is read from the file then. `entries` and `skipped` are as those of `Whole`.
    """

    def __init__(self, file: SessionFile) -> None:
        self.entries: list[Entry] = []
        self.skipped = 0
        stored = _Stored(file)
        start = 0
        for line in file.lines():
            try:
                entry = _read(line, stored, start)
            except BadLine:
                self.skipped += not jsonl.is_blank(line)
            else:
                if entry is not None and entry.type != "session":
                    self.entries.append(entry)
            start += len(line)


class _Stored:
    # The bytes of a file, read when they are asked for.
    def __init__(self, file: SessionFile) -> None:
        self._file = file

    def __getitem__(self, place: slice) -> bytes:
        return self._file.read(place.start, place.stop)


def _read(line: bytes, stored: Source, start: int) -> Entry | None:
    # The entry on a line that begins there in the file.
    end = len(line) - line.endswith(b"\n")
    try:
        found = _decode_digestible(line)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return read_entry(line, 0, end)
    message = found.message
    if message and found.type == "message" and message.role not in _OTHER_ROLES:
        try:
            made = _digest(message)
        except BadLine:
            return Entry(line, 0, end, found)
        entry = Entry(stored, start, start + end, found)
        entry.digest = made
        return entry
    return Entry(line, 0, end, found)


def _digest(message: _Message) -> Digest:
    content = message.content
    says = first_line(content) if isinstance(content, str) else ""
    calls: list[str] = []
    blocks = content if isinstance(content, list) else []
    for block in blocks:
        if block.type == "toolCall":
            calls.append(_call(block))
        elif block.type == "text" and not says:
            says = _first_line(block.text)
    if not says:
        says = wordless(calls, [shown(block.type or None) for block in blocks])
    return Digest(says, calls if message.role == "assistant" else [], message.model)


def _call(block: _Block) -> str:
    about = _about(block.arguments)
    if about is not None and block.name:
        return call_about(block.name, about)
    arguments = None if isinstance(block.arguments, UnsetType) else jsonl.decode(memoryview(block.arguments))
    return call_line({"name": block.name or None, "arguments": arguments})


def _about(arguments: Raw | UnsetType) -> str | None:
    # What the call is about, where that can be told without the rest of the arguments.
    if isinstance(arguments, UnsetType):
        return None
    try:
        found = _decode_subjects(arguments)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
    for name in CALL_SUBJECTS:
        about = getattr(found, name)
        if isinstance(about, str):
            return about
    return None


def _first_line(text: Raw | UnsetType) -> str:
    if isinstance(text, UnsetType):
        return ""
    data = bytes(text)
    escape = data.find(b"\\")
    if escape > 1 and data.startswith(b"\\n", escape):
        # As nearly always: the first line has no escape in it, and the rest need not be decoded.
        try:
            line = data[1:escape].decode().strip()
        except UnicodeDecodeError:
            line = ""
        if line:
            return line
    whole = jsonl.decode(data)
    return first_line(whole) if isinstance(whole, str) else ""
