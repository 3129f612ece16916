"""Sample sessions to try everything on: three conversations in two projects, the same bytes each time."""

from pathlib import Path

from pisess_cli.core.errors import Refused, os_fault
from pisess_cli.core.format.content import text_block
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.ids import derived_ids
from pisess_cli.core.format.javascript import JsonObject, JsonValue, Maybe
from pisess_cli.core.format.new_entries import build_entry, build_header, line_of
from pisess_cli.core.format.times import iso
from pisess_cli.core.session.reflog import CHECKOUT
from pisess_cli.core.storage.new_files import create
from pisess_cli.core.storage.paths import private_mkdir
from pisess_cli.core.store.directory import SessionDir, new_session_path
from pisess_cli.core.store.settings import Origin

_START_MS = 1_793_520_000_000
_MODEL = {"provider": "anthropic", "modelId": "claude-sonnet"}
_SYSTEM = "You are a coding agent. Work in small steps and run the tests."


class _Script:
    # A session in the making; the methods append what their names say and give the new entry's id.

    def __init__(self, number: int, cwd: Path, start_ms: int) -> None:
        self._ids = derived_ids(f"demo {number}")
        self._time_ms = start_ms
        self.cwd = cwd
        self.begin(start_ms)
        self.leaf: str | None = None
        self.entries: list[JsonObject] = []
        self.put("model_change", dict(_MODEL))
        self.put("thinking_level_change", {"thinkingLevel": "medium"})
        self.message("system", _SYSTEM)

    def begin(self, start_ms: int) -> None:
        digits = f"{start_ms:012x}"
        self.id = f"{digits[:8]}-{digits[8:]}-7000-8000-000000000000"
        self.started = iso(start_ms)

    def put(self, type_: str, fields: dict[str, Maybe], seconds: int = 20) -> str:
        self._time_ms += seconds * 1000
        entry_id = next(self._ids)
        timestamp = iso(self._time_ms)
        entry = build_entry(type_, fields, entry_id=entry_id, parent_id=self.leaf, timestamp=timestamp)
        self.entries.append(entry)
        self.leaf = entry_id
        return entry_id

    def message(self, role: str, content: JsonValue, **fields: JsonValue) -> str:
        message: JsonObject = {"role": role, "content": content, **fields, "timestamp": self._time_ms}
        return self.put("message", {"message": message})

    def user(self, text: str) -> str:
        return self.message("user", [text_block(text)])

    def answer(self, text: str, *calls: JsonObject, thinking: str = "", tokens: int = 4_000) -> str:
        blocks: list[JsonValue] = [{"type": "thinking", "thinking": thinking}] if thinking else []
        blocks += [text_block(text)] if text else []
        usage: JsonObject = {
            "input": tokens // 10,
            "output": 60 + len(text),
            "cacheRead": tokens - tokens // 10,
            "cacheWrite": 0,
            "totalTokens": tokens + 60 + len(text),
            "cost": {"input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": tokens / 500_000},
        }
        about: JsonObject = {"api": "anthropic-messages", "provider": _MODEL["provider"], "model": _MODEL["modelId"]}
        stop = "toolUse" if calls else "stop"
        return self.message("assistant", [*blocks, *calls], **about, usage=usage, stopReason=stop)

    def result(self, call: JsonObject, text: str, *, is_error: bool = False) -> str:
        about: JsonObject = {"toolCallId": call["id"], "toolName": call["name"]}
        content: list[JsonValue] = [text_block(text)]
        message: JsonObject = {"role": "toolResult", **about, "content": content, "isError": is_error}
        return self.put("message", {"message": {**message, "timestamp": self._time_ms}})

    def checkout(self, target: str) -> None:
        left, self.leaf = self.leaf, target
        self.put("custom", {"customType": CHECKOUT, "data": {"from": left}}, seconds=90)

    def write(self, sessions: Path, parent: Path | None = None) -> Path:
        path = new_session_path(SessionDir(sessions, "flat", Origin("option")), self.cwd, self.started, self.id)
        header = build_header(self.id, self.started, str(self.cwd), None if parent is None else str(parent))
        create(path, [line_of(header), *(Entry.from_value(entry).raw + b"\n" for entry in self.entries)])
        return path


def _call(number: int, name: str, **arguments: JsonValue) -> JsonObject:
    return {"type": "toolCall", "id": f"call_{number}", "name": name, "arguments": arguments}


def write_demo(folder: Path) -> Path:
    """Writes the samples into a new folder, projects and all, and gives the session directory in it.

    Raises `Refused` if the folder has something in it, `PisessError` if it cannot be made.
    """
    sessions = folder / "sessions"
    try:
        if folder.exists() and any(folder.iterdir()):
            raise Refused(f"the directory is not empty ({folder})", hint="name one that does not exist yet")
        for made in (folder / "csv-parser", folder / "website", sessions):
            private_mkdir(made)
    except OSError as error:
        raise os_fault(error, folder) from error
    website = _website(folder / "website")
    website.write(sessions)
    parser = _parser(folder / "csv-parser", 1)
    origin = parser.write(sessions)
    _retry(folder / "csv-parser").write(sessions, origin)
    return sessions


def _parser(cwd: Path, number: int) -> _Script:
    s = _Script(number, cwd, _START_MS)
    s.user("The CSV parser loses the last field when a line ends in a comma. Please fix it.")
    read = _call(1, "read", path="src/parser.py")
    s.answer("I will look at the parser first.", read, thinking="Probably the loop ends before the last field.")
    s.result(read, "def fields(line):\n    out, field = [], ''\n    for c in line:\n        ...\n    return out")
    edit = _call(2, "edit", path="src/parser.py", old="return out", new="return [*out, field]")
    s.answer("The loop never adds what stands behind the last comma.", edit, tokens=5_200)
    s.result(edit, "1 replacement")
    test = _call(3, "bash", command="pytest -q")
    s.answer("", test, tokens=5_600)
    failing = s.result(test, "1 failed, 11 passed\nFAILED test_quotes - a comma in quotes splits", is_error=True)
    fixed = s.answer("The fix works. Another test fails now: a comma inside quotes splits the field.", tokens=6_100)
    s.put("label", {"targetId": fixed, "label": "last-field-fixed"})
    s.user("Use a regular expression for the quotes.")
    write = _call(4, "write", path="src/quotes.py", content="import re\nFIELD = re.compile(...)")
    s.answer("Trying one pattern for quoted and plain fields.", write, thinking="Nested quotes hurt.", tokens=7_000)
    s.result(write, "written")
    s.answer("It passes, but a field with 10,000 quotes takes 40 seconds 🐌.", tokens=7_900)
    s.checkout(fixed)
    s.put("context_edit", {"targetId": failing, "replacement": {"content": [text_block("1 failed: test_quotes")]}})
    s.user("No regular expressions: keep a flag for being in quotes. Umlauts and 日本語 must survive.")
    again = _call(5, "edit", path="src/parser.py", old="for c in line:", new="for c in line:  # quoted?")
    s.answer("A flag it is.", again, tokens=6_400)
    s.result(again, "1 replacement")
    run = _call(6, "bash", command="pytest -q")
    s.answer("", run, tokens=6_800)
    s.result(run, "13 passed")
    done = s.answer("All 13 tests pass, 引用符 and quotes included. ✅", tokens=7_200)
    s.put("label", {"targetId": done, "label": "quotes-done"})
    s.put("session_info", {"name": "CSV parser: last field and quotes"})
    return s


def _retry(cwd: Path) -> _Script:
    # What a fork holds: the same entries, and a turn of its own.
    s = _parser(cwd, 1)
    s.begin(_START_MS + 86_400_000)
    s.put("session_info", {"name": "CSV parser: streaming"}, seconds=80_000)
    s.user("Now make it read from a stream.")
    read = _call(7, "read", path="src/reader.py")
    s.answer("The reader loads the file whole; I will turn it into a generator.", read, tokens=8_100)
    s.result(read, "def read(path):\n    return open(path).read()")
    return s


def _website(cwd: Path) -> _Script:
    s = _Script(2, cwd, _START_MS - 7 * 86_400_000)
    s.user("Add a dark mode to the site.")
    read = _call(1, "read", path="style.css")
    s.answer("Let me see the colours first.", read)
    s.result(read, ":root { --paper: #fff; --ink: #111; }")
    write = _call(2, "write", path="dark.css", content="@media (prefers-color-scheme: dark) { … }")
    kept = s.answer("Two variables carry all colours, so a media query suffices.", write, tokens=4_800)
    s.result(write, "written")
    s.answer("Dark mode follows the system setting now.", tokens=5_300)
    summary = "## Goal\nA dark mode for the site.\n\n## Progress\n### Done\n- [x] dark.css follows the system"
    details: JsonObject = {"readFiles": ["style.css"], "modifiedFiles": ["dark.css"]}
    compaction: dict[str, Maybe] = {"summary": summary, "firstKeptEntryId": kept, "tokensBefore": 5_420}
    s.put("compaction", {**compaction, "details": details, "fromHook": False})
    s.user("And a switch for people who want it the other way round?")
    s.answer("A button in the header, kept in local storage. Shall I?", tokens=2_900)
    s.put("session_info", {"name": "Dark mode"})
    return s
