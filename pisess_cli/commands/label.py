"""`pisess label`: bookmark an entry, or list the labels."""

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault


@options.pisess_command()
@click.argument("name", required=False, metavar="[NAME]")
@options.revision_argument(default=None)
@options.option("-d", "--delete", metavar="NAME|REV", help="Take a label away, named by itself or by its entry.")
@options.option(
    "-f", "--force", is_flag=True, help="Move a label that another entry has, replace the one that is there."
)
@options.date_option
@options.json_option
def command(
    app: App,
    name: str | None,
    revision: str | None,
    delete: str | None,
    force: bool,
    date_style: str | None,
    as_json: bool,
) -> None:
    """Bookmark an entry (HEAD if none is given) by a name that then is a revision; without a NAME, list the labels.

    An entry has one label at most, as in Pi, and a label names one entry.

    \b
    Examples:
      pisess label before-refactor
      pisess label good HEAD~3
      pisess label -d good
    """
    if delete is not None:
        if name is not None:
            raise UsageFault("-d takes the name of the label itself")
        _delete(app, delete, as_json=as_json)
    elif name is not None:
        set_label_at(app, name, revision or "HEAD", force=force, as_json=as_json)
    else:
        from pisess_cli.core.session.labels import list_labels
        from pisess_cli.view.labels import write_labels

        labels = list_labels(app.open())
        with app.terminal.paged():
            write_labels(app.terminal, labels, app.date_format(date_style, "relative"), as_json=as_json)


def set_label_at(app: App, name: str, revision: str, *, force: bool, as_json: bool) -> None:
    """Labels the entry that a revision names, and shows the new entry."""
    from pisess_cli.core.changes.labels import set_label
    from pisess_cli.core.session.appender import Appender
    from pisess_cli.view.made import write_made

    path = app.find_session(None)
    with Appender(path) as appender:
        target = app.resolver(appender.session).own_entry(revision)
        made = set_label(appender, name, target, force=force)
    if made is None:
        app.terminal.note("the label is there already")
    write_made(app.terminal, made, as_json=as_json)


def _delete(app: App, name: str, *, as_json: bool) -> None:
    from pisess_cli.core.changes.labels import clear_label
    from pisess_cli.core.session.appender import Appender
    from pisess_cli.core.session.labels import labelled
    from pisess_cli.view.made import write_made

    path = app.find_session(None)
    with Appender(path) as appender:
        target = labelled(appender.session, name) or app.resolver(appender.session).own_entry(name).id
        made = clear_label(appender, target)
    write_made(app.terminal, made, as_json=as_json)
