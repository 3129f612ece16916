"""Settings: pisess's `config.toml`, and what Pi's own settings say, each with where it comes from."""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pisess_cli.core.errors import NotFound, PisessError, UsageFault, os_fault
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.storage.paths import absolute_path, private_mkdir

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_LARGEST_FILE = 1024 * 1024
_IN_EDITOR = "correct it in an editor"
_ALIAS = "alias."
_ALIAS_NAME = "[A-Za-z0-9][A-Za-z0-9_-]*"
TomlTable: TypeAlias = dict[str, object]


class Origin(NamedTuple):
    """Where a value comes from; `name` is the option, the variable or the file."""

    kind: Literal["option", "environment", "file", "default"]
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".rstrip()


class Setting(NamedTuple):
    """A value and its origin."""

    key: str
    value: str
    origin: Origin


class Key(NamedTuple):
    """A setting that pisess knows.

    `choices`: the values it may have, one that ends in `:` being the start of any; none: it may be any text.
    `overrides`: variables that count before the file, `fallbacks`: those that count after it.
    """

    about: str
    choices: tuple[str, ...] = ()
    is_command: bool = False
    overrides: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()
    empty_counts: bool = False
    default: str | None = None


KEYS: Mapping[str, Key] = {
    "session_dir": Key("the directory that sessions are in, all in one"),
    "summarizer": Key("the command that summarises: a prompt on its stdin, the summary on its stdout", is_command=True),
    "pager": Key(
        "the program that long output is read in",
        is_command=True,
        overrides=("PISESS_PAGER",),
        fallbacks=("PAGER",),
        empty_counts=True,
        default="less -FRX",
    ),
    "editor": Key(
        "the program that summaries and messages are written in",
        is_command=True,
        overrides=("PISESS_EDITOR",),
        fallbacks=("VISUAL", "EDITOR"),
        default="vi",
    ),
    "date": Key("how dates are shown", choices=("iso", "relative", "unix", "format:")),
    "color": Key("when output is in colour", choices=("auto", "always", "never"), default="auto"),
}
"""The settings; beside them there is `alias.NAME`, a command line of pisess under a name of one's own."""


class Settings(NamedTuple):
    """What a `config.toml` holds, in its order, aliases under `alias.NAME`. `warnings`: what it should not hold."""

    path: Path
    values: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    def get(self, key: str) -> Setting | None:
        """The file's own value."""
        value = self.values.get(key)
        return None if value is None else Setting(key, value, Origin("file", str(self.path)))

    def effective(self, key: str, environment: Mapping[str, str]) -> Setting | None:
        """The value that counts when no option says otherwise: of a variable, of the file, or the default.

        The session directory has rules of its own: `directory.resolve_session_dir`.
        """
        known = KEYS.get(key, Key(""))

        def first_set(names: tuple[str, ...]) -> Setting | None:
            for name in names:
                value = environment.get(name)
                if value or (value is not None and known.empty_counts):
                    return Setting(key, value, Origin("environment", name))
            return None

        default = None if known.default is None else Setting(key, known.default, Origin("default"))
        return first_set(known.overrides) or self.get(key) or first_set(known.fallbacks) or default

    @property
    def aliases(self) -> dict[str, str]:
        """The command lines by alias."""
        return {key.removeprefix(_ALIAS): value for key, value in self.values.items() if key.startswith(_ALIAS)}


def config_path() -> Path:
    """Where the user's `config.toml` is, whether it exists or not."""
    from platformdirs import user_config_path

    return user_config_path("pisess") / "config.toml"


def load_settings(path: Path) -> Settings:
    """What the file holds; nothing if there is none. Raises `PisessError` for a broken file or a value that cannot be.

    A file that may not be read counts as none, with a warning: under `sudo -u` it is somebody else's.
    """
    try:
        data = _read_small(path)
    except PermissionError:
        return Settings(path, {}, (f"the settings cannot be read ({path})",))
    if not data:
        return Settings(path, {})
    values: dict[str, str] = {}
    warnings: list[str] = []
    for key, value in _flat(_parse_toml(path, data)):
        if not _is_known(key):
            warnings.append(f"no such setting, {key} ({path})")
            continue
        if not isinstance(value, str) or not _allows(key, value):
            raise PisessError(f"the value of {key} cannot be used ({path})", hint=_how_to_set(key))
        values[key] = value
    return Settings(path, values, tuple(warnings))


def _flat(table: TomlTable) -> list[tuple[str, object]]:
    # The settings under their dotted names; of tables only that of the aliases holds any.
    found: list[tuple[str, object]] = []
    for key, value in table.items():
        if key == "alias" and isinstance(value, dict):
            found += [(_ALIAS + name, command) for name, command in value.items()]
        else:
            found.append((key, value))
    return found


def _parse_toml(path: Path, data: bytes) -> TomlTable:
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PisessError(f"not UTF-8, at line {line} ({path})") from error
    except RecursionError as error:
        raise PisessError(f"nested too deeply ({path})") from error
    except ValueError as error:
        reason = re.sub(r" \((at [^()]*)\)$", r", \1", str(error))
        raise PisessError(f"not TOML: {reason[:1].lower()}{reason[1:]} ({path})", hint=_IN_EDITOR) from error


def _read_small(path: Path) -> bytes | None:
    # None where there is no such regular file. Raises PermissionError, and PisessError for all else that is wrong.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise
    except OSError as error:
        raise os_fault(error, path) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = os.read(descriptor, _LARGEST_FILE + 1)
    except OSError as error:
        raise os_fault(error, path) from error
    finally:
        os.close(descriptor)
    if len(data) > _LARGEST_FILE:
        raise PisessError(f"too large for a file of settings ({path})")
    return data


def _is_known(key: str) -> bool:
    return key in KEYS or (key.startswith(_ALIAS) and bool(re.fullmatch(_ALIAS_NAME, key.removeprefix(_ALIAS))))


def _allows(key: str, value: str) -> bool:
    choices = KEYS[key].choices if key in KEYS else ()
    return not choices or any(
        value.startswith(choice) if choice.endswith(":") else value == choice for choice in choices
    )


def _how_to_set(key: str) -> str:
    choices = KEYS[key].choices if key in KEYS else ()
    values = ", ".join(f"{choice}…" if choice.endswith(":") else choice for choice in choices)
    return f"{key} is one of {values}" if values else f'write it as {key.rpartition(".")[2]} = "…"'


def check_setting(key: str, value: str) -> None:
    """Raises `UsageFault` unless `config.toml` may hold that value under that key."""
    if not _is_known(key):
        if key.startswith(_ALIAS):
            raise UsageFault(f"not a name for an alias ({key})", hint="it has letters, digits, - and _")
        raise UsageFault(f"no such setting ({key})", hint=_did_you_mean(key))
    if not _allows(key, value):
        raise UsageFault(f"not a value for {key} ({value})", hint=_how_to_set(key))
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageFault(f"the value is not UTF-8 ({key})") from None
    if key.startswith(_ALIAS) or KEYS[key].is_command:
        import shlex

        try:
            shlex.split(value)
        except ValueError as error:
            raise UsageFault(f"the command's quotes do not match ({value})") from error


def _did_you_mean(key: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, KEYS, n=1)
    return f"did you mean {close[0]}?" if close else f"the settings are {', '.join(KEYS)}, {_ALIAS}NAME"


def set_value(path: Path, key: str, value: str) -> None:
    """Writes a setting into the file, which keeps its comments and its order; the file is made if it is missing.

    Raises `UsageFault` for an unknown key or a value that cannot be, `PisessError` for a broken file.
    """
    check_setting(key, value)
    document = _toml_document(path)
    if not key.startswith(_ALIAS):
        document[key] = value
    else:
        aliases = document.setdefault("alias", {})
        if not isinstance(aliases, dict):
            raise PisessError(f"alias is not a table ({path})", hint=_IN_EDITOR)
        aliases[key.removeprefix(_ALIAS)] = value
    _write(path, document.as_string())


def unset_value(path: Path, key: str) -> None:
    """Takes a setting out of the file, also one that pisess does not know. Raises `NotFound` if it is not in it."""
    document = _toml_document(path)
    table, name = (document.get("alias"), key.removeprefix(_ALIAS)) if key.startswith(_ALIAS) else (document, key)
    if not isinstance(table, dict) or name not in table:
        raise NotFound(f"the setting is not in the file ({key})", hint=f"the file is {path}")
    del table[name]
    _write(path, document.as_string())


def _toml_document(path: Path) -> "TOMLDocument":
    # The file with its comments, for changing it.
    from tomlkit import parse
    from tomlkit.exceptions import TOMLKitError

    try:
        data = _read_small(path) or b""
        _parse_toml(path, data)
        return parse(data)
    except PermissionError as error:
        raise os_fault(error, path) from error
    except TOMLKitError as error:
        raise PisessError(f"not TOML: {error} ({path})", hint=_IN_EDITOR) from error


def _write(path: Path, text: str) -> None:
    from pisess_cli.core.storage.new_files import PRIVATE_FILE, replace

    # People keep such files elsewhere and link to them: the link stays.
    target = Path(os.path.realpath(path))
    private_mkdir(target.parent)
    replace(target, [text.encode()], PRIVATE_FILE)


def pi_agent_dir(environment: Mapping[str, str], cwd: Path) -> Path:
    """Pi's own directory: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`."""
    return absolute_path(environment.get("PI_CODING_AGENT_DIR") or "~/.pi/agent", cwd)


def pi_session_dir(settings_file: Path) -> Setting | None:
    """The `sessionDir` of a `settings.json` of Pi, as it stands there; None if there is none that one may read.

    Raises `PisessError` if the file is broken.
    """
    try:
        data = (_read_small(settings_file) or b"").removeprefix(b"\xef\xbb\xbf")
        settings = jsonl.decode(data) if data else {}
    except PermissionError:
        return None
    except BadLine as error:
        raise PisessError(f"not JSON: {error} ({settings_file})", hint="Pi cannot read it either") from error
    if not isinstance(settings, dict):
        raise PisessError(f"the settings are no JSON object ({settings_file})", hint="Pi cannot read them either")
    value = settings.get("sessionDir")
    if not value:
        return None
    if not isinstance(value, str):
        raise PisessError(f"sessionDir is not a text ({settings_file})", hint="Pi cannot use it either")
    return Setting("sessionDir", value, Origin("file", str(settings_file)))


def project_session_dir(project: Path) -> Setting | None:
    """The `sessionDir` of a project's `.pi/settings.json`, None if it has none that Pi can use.

    Pi obeys it without asking (PI_DETAILS J, "Project settings"); pisess never does, and only says so.
    """
    try:
        return pi_session_dir(project / ".pi" / "settings.json")
    except PisessError:
        return None
