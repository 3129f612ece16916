"""`pisess config`: show and change settings."""

from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import NotFound, UsageFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pisess_cli.core.store.settings import Origin
    from pisess_cli.view.config import ShownSetting


@options.pisess_command()
@click.argument("key", required=False, metavar="[KEY]")
@click.argument("value", required=False, metavar="[VALUE]")
@options.option("--unset", is_flag=True, help="Take KEY out of the file.")
@options.option("--list", "listed", is_flag=True, help="Show all settings; so does pisess config alone.")
@options.option("--show-origin", is_flag=True, help="Show where each value comes from.")
@options.json_option
def command(
    app: App, key: str | None, value: str | None, unset: bool, listed: bool, show_origin: bool, as_json: bool
) -> None:
    """Show the settings that count, the value of one KEY, or set it to a VALUE.

    What counts may come from an option, a variable, a file, or be the default. Values are set in pisess's own
    config.toml. alias.NAME is a command line of pisess under a name of your own.

    \b
    Examples:
      pisess config --show-origin
      pisess config date iso
      pisess config alias.lg 'log --graph --all'
      cd "$(pisess config session_dir)"
    """
    if (unset or value is not None) and (listed or show_origin or as_json):
        raise UsageFault("what changes a setting shows none: --list, --show-origin and --json do not go with it")
    if unset and (key is None or value is not None):
        raise UsageFault("--unset takes a KEY and no VALUE")
    if listed and key is not None:
        raise UsageFault("--list shows all settings, so it takes no KEY")
    if key is None:
        _show(app, _all(app), with_origin=show_origin, as_json=as_json)
    elif unset:
        from pisess_cli.core.store.settings import config_path, unset_value

        unset_value(config_path(), key)
    elif value is not None:
        _set(app, key, value)
    else:
        shown = _one(app, key)
        if shown is None:
            raise NotFound(f"not set ({key})", hint=f"pisess config {key} VALUE sets it")
        if show_origin or as_json:
            _show(app, iter([shown]), with_origin=show_origin, as_json=as_json)
        else:
            from pisess_cli.view.config import write_value

            write_value(app.terminal, shown)


def _show(app: App, settings: "Iterator[ShownSetting]", *, with_origin: bool, as_json: bool) -> None:
    from pisess_cli.view.config import write_settings

    write_settings(app.terminal, settings, with_origin=with_origin, as_json=as_json)


def _all(app: App) -> "Iterator[ShownSetting]":
    from pisess_cli.core.store.settings import KEYS

    keys = [*KEYS, *(key for key in app.settings.values if key not in KEYS)]
    return (shown for key in keys if (shown := _one(app, key)) is not None)


def _one(app: App, key: str) -> "ShownSetting | None":
    from pisess_cli.core.store.directory import pi_detour
    from pisess_cli.core.store.settings import KEYS, Setting, check_setting
    from pisess_cli.view.config import ShownSetting

    if key == "session_dir":
        found = app.session_dir
        detour = pi_detour(found, app.environment, app.cwd)
        return ShownSetting(Setting(key, str(found.path), found.origin), found.layout, detour)
    if key not in KEYS:
        # An alias may have any text, so this is about the name alone.
        check_setting(key, "")
    setting = app.settings.effective(key, app.environment)
    return None if setting is None else ShownSetting(setting)


def _set(app: App, key: str, value: str) -> None:
    from pisess_cli.cli import COMMANDS
    from pisess_cli.core.store.directory import resolve_session_dir
    from pisess_cli.core.store.settings import Settings, config_path, set_value

    path = config_path()
    set_value(path, key, value)
    written = Settings(path, {key: value})
    if key == "session_dir":
        origin: Origin | None = resolve_session_dir(None, written, app.environment, app.cwd).origin
    else:
        counting = written.effective(key, app.environment)
        origin = counting.origin if counting else None
    if origin is not None and origin.kind == "environment":
        app.terminal.note(f"{origin.name} is set, and counts before it")
    name = key.removeprefix("alias.")
    if name != key and name in COMMANDS:
        app.terminal.note(f"the alias is never used: {name} is a command")
