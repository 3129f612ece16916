"""`pisess edit`: change what the model sees of an entry."""

from typing import TYPE_CHECKING

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault

if TYPE_CHECKING:
    from pisess_cli.core.changes.context_edits import Editable
    from pisess_cli.core.format.javascript import JsonValue


@options.pisess_command()
@options.revision_argument(required=True)
@options.option("--omit", is_flag=True, help="Leave the entry out.")
@options.option("-m", "--message", metavar="TEXT", help="Put this text in the place of the entry's text.")
@options.option("-F", "--file", "message_file", metavar="FILE", help="Take the text from a file, - for stdin.")
@options.option("--editor", is_flag=True, help="Change the text in the editor.")
@options.option("--restore", is_flag=True, help="Take an edit back: the model sees the entry as it was said.")
@options.force_option
@options.dry_run_option
@options.json_option
def command(
    app: App,
    revision: str,
    omit: bool,
    message: str | None,
    message_file: str | None,
    editor: bool,
    restore: bool,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Change what the model sees of an entry from now on, and print the id of the edit.

    The entry itself stays; the edit counts on the current path, and the last one of an entry wins. Only text is
    replaced: tool calls, images and thinking stay. What changes is shown, and how many tokens that saves.

    \b
    Examples:
      pisess edit HEAD^{toolResult} --omit
      pisess edit good -m '(a long listing, all tests passed)'
      pisess edit good --restore
    """
    from pisess_cli.core.changes.context_edits import append_change, find_editable, plan_change
    from pisess_cli.core.session.appender import Appender
    from pisess_cli.view.edit import write_edit

    if sum((omit, message is not None, message_file is not None, editor, restore)) != 1:
        raise UsageFault("say how to edit: one of --omit, -m, -F, --editor and --restore")
    session = app.open()
    target = app.resolver(session).own_entry(revision)
    if not dry_run:
        app.refuse_inside_pi(session, force=force)
    editable = find_editable(session, target)
    replacement = None if omit else _replacement(app, editable, message, message_file, editor=editor)
    change = plan_change(editable, replacement, force=force)
    made = None
    if change is not None and not dry_run:
        with Appender(session.path) as appender:
            made = append_change(appender, change)
    write_edit(app.terminal, editable, change, made, as_json=as_json)


def _replacement(
    app: App, editable: "Editable", message: str | None, message_file: str | None, *, editor: bool
) -> "JsonValue":
    # None of -m, -F and --editor: the entry's own content.
    from pisess_cli.core.changes.context_edits import new_text, original_content

    if message is not None:
        return new_text(editable, message)
    if message_file is not None:
        from pisess_cli.actions.summary_source import read_text

        return new_text(editable, read_text(message_file).removesuffix("\n"))
    if editor:
        from pisess_cli.actions.editor import edit_text

        return new_text(editable, edit_text(app, editable.text, "ENTRY.md"))
    return original_content(editable)
