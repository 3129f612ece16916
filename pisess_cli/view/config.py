"""How settings look."""

from collections.abc import Iterable
from typing import NamedTuple

from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.core.store.directory import Detour
from pisess_cli.core.store.settings import Setting
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.table import Cell, Column, write_table
from pisess_cli.view.terminal import Terminal


class ShownSetting(NamedTuple):
    """A setting; of the session directory also its layout, and where Pi would look instead."""

    setting: Setting
    layout: str = ""
    detour: Detour | None = None


def write_value(terminal: Terminal, shown: ShownSetting) -> None:
    """Writes the value alone."""
    terminal.path(shown.setting.value)


def write_settings(terminal: Terminal, settings: Iterable[ShownSetting], *, with_origin: bool, as_json: bool) -> None:
    """Writes a line for each setting: key and value; with their origins also that, and a directory's layout."""
    if as_json:
        for shown in settings:
            write_json(terminal, _as_json(shown))
        return
    settings = list(settings)
    columns = [Column("Setting", "label"), Column("Value")]
    if with_origin:
        columns += [Column("Origin"), Column("Layout")]
    write_table(terminal, columns, (_cells(shown, with_origin=with_origin) for shown in settings))
    for shown in settings:
        if with_origin and shown.detour is not None:
            terminal.warn(
                f"Pi, started here, goes to another session directory, {shown.detour.path}, "
                f"because the project's settings say so ({shown.detour.settings_file})"
            )


def _cells(shown: ShownSetting, *, with_origin: bool) -> list[Cell]:
    key, value, origin = shown.setting
    return [key, value, str(origin), shown.layout] if with_origin else [key, value]


def _as_json(shown: ShownSetting) -> JsonObject:
    key, value, origin = shown.setting
    fields: JsonObject = {"key": key, "value": value, "origin": {"kind": origin.kind, "name": origin.name or None}}
    if shown.layout:
        detour = shown.detour
        fields["layout"] = shown.layout
        fields["detour"] = (
            {"path": str(detour.path), "settingsFile": str(detour.settings_file)} if detour is not None else None
        )
    return fields
