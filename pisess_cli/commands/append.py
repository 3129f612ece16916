"""`pisess append`: any entry, from its fields."""

from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault
from pisess_cli.core.format.entries import ENTRY_TYPES

if TYPE_CHECKING:
    from pisess_cli.core.format.javascript import JsonObject
    from pisess_cli.core.session.revisions import Point, Resolver


@options.pisess_command()
@click.argument("type_", metavar="TYPE", type=click.Choice(ENTRY_TYPES))
@options.option(
    "-m", "--message", "text", metavar="TEXT", help="The text: of a message, a summary, a label, a name, a note."
)
@options.option("--role", metavar="ROLE", help="Whose message the text is: user, the default, or system.")
@options.option("--target", metavar="REV", help="The entry that a label, an edit, a compaction or a summary names.")
@options.option("--custom-type", metavar="TEXT", help="The field customType.")
@options.option("--data", metavar="JSON", help="The field data.")
@options.option(
    "--field", "fields", multiple=True, metavar="KEY=VALUE", help="A field: KEY=TEXT, or KEY:=JSON; several times."
)
@options.option("-F", "--file", metavar="FILE", help="Read the fields from a file with a JSON object, - for stdin.")
@options.option("--parent", metavar="REV", help="Write it below this entry, or below ROOT, instead of the leaf.")
@options.force_option
@options.json_option
def command(
    app: App,
    type_: str,
    text: str | None,
    role: str | None,
    target: str | None,
    custom_type: str | None,
    data: str | None,
    fields: tuple[str, ...],
    file: str | None,
    parent: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Append an entry of any type, and print its id; it is the session's leaf from then on.

    An entry's own fields are given one by one, or as one JSON object, and are named as in Pi's files. Its id, parent
    and time are made here. What Pi's own append methods refuse is refused.

    \b
    Examples:
      pisess append message -m 'The build is green again.'
      pisess append custom --custom-type my-tool.state --data '{"step": 3}'
      pisess append model_change --field provider=anthropic --field modelId=claude-opus-4-5
      jq -n '{customType: "my-tool", content: "hi"}' | pisess append custom_message -F -
    """
    from pisess_cli.core.changes.given_entry import ASIDE_TYPES, append_given
    from pisess_cli.core.session.appender import Appender
    from pisess_cli.view.made import write_made

    given = _given(type_, text, role, custom_type, data, fields, file)
    session = app.open()
    if type_ not in ASIDE_TYPES:
        app.refuse_inside_pi(session, force=force)
    with Appender(session.path) as appender:
        resolver = app.resolver(appender.session)
        if target is not None:
            from pisess_cli.core.changes.given_entry import target_fields

            given |= target_fields(type_, resolver.own_entry(target))
        at = None if parent is None else _point(resolver, parent)
        made = append_given(appender, type_, given, at)
    write_made(app.terminal, made, as_json=as_json)


def _given(
    type_: str,
    text: str | None,
    role: str | None,
    custom_type: str | None,
    data: str | None,
    fields: tuple[str, ...],
    file: str | None,
) -> "JsonObject":
    # What options say counts before what the file says.
    from pisess_cli.core.changes.given_entry import parse_field, parse_json, parse_object, text_fields

    if role is not None and (text is None or type_ != "message"):
        raise UsageFault("--role is for the text of a message, and goes with -m")
    given: JsonObject = {}
    if file is not None:
        from pisess_cli.actions.summary_source import read_text

        given |= parse_object(read_text(file), file)
    if text is not None:
        given |= text_fields(type_, text, role)
    if custom_type is not None:
        given["customType"] = custom_type
    if data is not None:
        given["data"] = parse_json(data, "--data")
    return given | dict(map(parse_field, fields))


def _point(resolver: "Resolver", revision: str) -> "Point":
    point = resolver.point(revision)
    if point.session.path != resolver.session.path:
        raise UsageFault(f"the parent cannot be in another session ({revision})", hint="name that one with -s")
    return point
