"""What a list says of a session, gathered in one pass over the file's lines (PI_SEMANTICS H)."""

import msgspec
from msgspec import UNSET, Raw, UnsetType

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Header
from pisess_cli.core.format.javascript import BadLine, JsonValue, js_trim, shown
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.storage.blocks import Block, BlockReader
from pisess_cli.core.storage.session_file import HEADER_SCAN_BYTES, first_header

_HEADER_BYTES = 4096


class _Message(msgspec.Struct, gc=False):
    role: str | UnsetType | None = UNSET
    timestamp: int | float | UnsetType = UNSET
    content: Raw | UnsetType = UNSET


class _TextBlock(msgspec.Struct, gc=False):
    type: str | UnsetType = UNSET
    text: str | UnsetType | None = UNSET


class _Line(msgspec.Struct, gc=False):
    type: str | UnsetType = UNSET
    timestamp: str | float | bool | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    message: _Message | UnsetType = UNSET


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_content = msgspec.json.Decoder(str | list[_TextBlock]).decode


class Overview(msgspec.Struct, array_like=True, gc=False):
    """A session's header, and what its lines up to some point add up to.

    `started_ms` is the header's time, `active_ms` the latest time of a user or assistant message, 0 where there is
    none. `first_message` is empty where no user message has a text.
    """

    id: str
    cwd: str
    parent_session: str | None
    started_ms: int | None
    name: str | None = None
    message_count: int = 0
    first_message: str = ""
    active_ms: float = 0

    @classmethod
    def of_header(cls, header: Header) -> "Overview":
        """The overview of a session that has no more than its header."""
        started = parse_ms(header.value.get("timestamp", UNSET))
        return cls(header.id, header.cwd or "", header.text("parentSession"), started)

    def add(self, block: Block) -> None:
        """Adds the lines of a block."""
        buffer, size = block
        view = memoryview(buffer)
        start = 0
        while start < size:
            end = buffer.find(b"\n", start, size)
            if end < 0:
                end = size
            try:
                line = _decode_line(view[start:end])
            except (msgspec.MsgspecError, RecursionError, ValueError):
                line = _decode_any_line(block.copy(start, end))
            if line.type == "message":
                self._add_message(line)
            elif line.type == "session_info":
                self.name = js_trim(line.name) or None if isinstance(line.name, str) else None
            start = end + 1

    def _add_message(self, line: _Line) -> None:
        self.message_count += 1
        message = line.message
        if not message or not message.content or message.role not in ("user", "assistant"):
            return
        time = parse_ms(line.timestamp) if message.timestamp is UNSET else message.timestamp
        if time is not None and time > self.active_ms:
            self.active_ms = float(time)
        if message.role == "user" and not self.first_message:
            self.first_message = _content_text(message.content)


def _decode_any_line(line: bytes) -> _Line:
    # What the decoder above refuses: no JSON, other types than a session's fields have, lone surrogates, huge numbers.
    try:
        value = jsonl.decode(line)
    except BadLine:
        return _Line()
    if not isinstance(value, dict):
        return _Line()
    type_, name, timestamp, message = (value.get(key, UNSET) for key in ("type", "name", "timestamp", "message"))
    read = _Line(
        type_ if isinstance(type_, str) else UNSET,
        UNSET if isinstance(timestamp, list | dict) else timestamp,
        name if isinstance(name, str) else UNSET,
    )
    if isinstance(message, dict):
        role, time = message.get("role"), message.get("timestamp")
        read.message = _Message(
            role if isinstance(role, str) else UNSET,
            time if isinstance(time, int | float) and not isinstance(time, bool) else UNSET,
            Raw(jsonl.encode(message["content"])) if "content" in message else UNSET,
        )
    return read


def _content_text(content: Raw) -> str:
    try:
        read = _decode_content(content)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return joined_text(jsonl.decode(bytes(content)))
    return read if isinstance(read, str) else " ".join(block.text or "" for block in read if block.type == "text")


def joined_text(content: JsonValue) -> str:
    """The text of a message's content in one: itself, or that of its text blocks with spaces between."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if block.get("type") == "text")
    return " ".join("" if text is None else shown(text) for text in texts)


def read_overview(
    reader: BlockReader, descriptor: int, size: int, known: tuple[Overview, int] | None = None
) -> Overview | None:
    """The overview of the first `size` bytes of an open file, or None if no session begins there. Raises `OSError`.

    `known` is the overview of so many bytes at the start, which end with a newline; it is used up.
    """
    overview, position = known or (None, 0)
    for block in reader.blocks(descriptor, position, size):
        position += block.size
        if overview is None:
            header, done = _header(block)
            if header is None:
                if done or position >= HEADER_SCAN_BYTES:
                    break
                continue  # nothing but bad lines so far
            overview = Overview.of_header(header)
        overview.add(block)
    return overview


def _header(block: Block) -> tuple[Header | None, bool]:
    # The header in a block, and whether the blocks after it change nothing.
    if block.size > _HEADER_BYTES:
        header, done = first_header(block.copy(0, _HEADER_BYTES), whole=False)
        if done:
            return header, done
    lines = block.copy(0, block.size)
    return first_header(lines, whole=not lines.endswith(b"\n"))
