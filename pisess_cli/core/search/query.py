"""What a search is asked for: which entries, in which sessions, and which lines of their text."""

import posixpath
import re
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

from pisess_cli.core.format.content import called_tools
from pisess_cli.core.format.javascript import JsonObject, JsonValue
from pisess_cli.core.search.entry_filter import EntryFilter
from pisess_cli.core.search.pattern import Pattern
from pisess_cli.core.search.sieve import Sieve, make_sieve

Branch: TypeAlias = Literal["current", "abandoned"]
_FILE_TOOLS = ("read", "write", "edit")


class Query(msgspec.Struct, frozen=True, dict=True):
    """What an entry has to be, and its session; what is None does not matter.

    `entries` are types, roles and times. `tool` is the exact name of a tool that the entry calls or has the result of,
    `model` a part of `provider/model` in upper or lower case. `file` and `label` choose sessions: those that read,
    wrote or edited the file, those with an entry of that label. Without a pattern they choose the entries that did so,
    and each entry is one hit. A relative `file` is the end of a path, of whole names; an absolute one is all of it.
    `tell_branch`: hits say whether they are on the session's current branch.
    """

    pattern: Pattern | None = None
    entries: EntryFilter = EntryFilter(full=True)
    tool: str | None = None
    model: str | None = None
    file: str | None = None
    label: str | None = None
    branch: Branch | None = None
    tell_branch: bool = False

    @cached_property
    def line_sieve(self) -> Sieve | None:
        """Passes the lines of all entries that are wanted; None if bytes cannot tell."""
        if self.pattern:
            return self.pattern.sieve
        if self.tool is not None:
            return make_sieve((self.tool,), ignore_case=False)
        if self.model is not None:
            return make_sieve((max(self.model.split("/"), key=len),), ignore_case=True)
        return self.file_sieve

    @cached_property
    def file_sieve(self) -> Sieve | None:
        """Passes the lines of all calls that concern the file; None if bytes cannot tell, or if there is no file."""
        return (
            make_sieve((posixpath.basename(posixpath.normpath(self.file)),), ignore_case=False) if self.file else None
        )

    @cached_property
    def label_sieve(self) -> Sieve | None:
        """Passes the entries that set the label; None if bytes cannot tell, or if there is no label."""
        return make_sieve((self.label,), ignore_case=False) if self.label else None

    def wants(self, value: JsonObject) -> bool:
        """Whether the entry has the tool and the model; `value` is the entry, decoded."""
        if self.tool is not None and not _has_tool(value, self.tool):
            return False
        return self.model is None or bool(re.search(re.escape(self.model), _model(value), re.IGNORECASE))

    def concerns_file(self, value: JsonObject, cwd: str) -> bool:
        """Whether the entry's calls read, write or edit the file; `cwd` is where the session's relative paths begin."""
        if self.file is None:
            return False
        message = value.get("message")
        calls = called_tools(message) if isinstance(message, dict) else ()
        return any(
            is_same_file(arguments.get("path"), cwd, self.file)
            for call in calls
            if call.get("name") in _FILE_TOOLS and isinstance(arguments := call.get("arguments"), dict)
        )


def is_same_file(path: JsonValue, cwd: str, wanted: str) -> bool:
    """Whether a call's path, seen from `cwd`, is the wanted one, or ends with it if that is relative."""
    if not isinstance(path, str) or not path:
        return False
    wanted = posixpath.normpath(wanted)
    if posixpath.basename(posixpath.normpath(path)) != posixpath.basename(wanted):
        return False
    full = posixpath.normpath(posixpath.join(cwd, path))
    return full == wanted or full.endswith(f"/{wanted}")


def _has_tool(value: JsonObject, tool: str) -> bool:
    message = value.get("message")
    if not isinstance(message, dict):
        return False
    return message.get("toolName") == tool or any(call.get("name") == tool for call in called_tools(message))


def _model(value: JsonObject) -> str:
    # Answers, changes of the model and usage entries have one.
    message = value.get("message")
    source = message if isinstance(message, dict) else value
    names = [source.get("provider"), source.get("responseModel"), source.get("model"), source.get("modelId")]
    return "/".join(name for name in names if isinstance(name, str))
