"""`pisess show-context`: what the model would be sent."""

from pisess_cli import options
from pisess_cli.app import App


@options.pisess_command()
@options.revision_argument()
@options.option("--llm", is_flag=True, help="Print the messages as they go to a provider, one JSON object a line.")
@options.option("--tokens", is_flag=True, help="Print how many tokens the context has.")
@options.option(
    "--explain", "explained", is_flag=True, help="Say for each entry of the path what becomes of it, and why."
)
@options.option("--system", is_flag=True, help="Show system messages too.")
@options.json_option
def command(app: App, revision: str, llm: bool, tokens: bool, explained: bool, system: bool, as_json: bool) -> None:
    """Show what the model would be sent if the session went on at REV.

    Compactions, context edits and branch summaries are applied as Pi applies them. `--json` prints the entries with
    their messages, the model and the thinking level; with `--tokens` or `--explain`, those as JSON.

    \b
    Examples:
      pisess show-context
      pisess show-context --explain good
      pisess show-context --llm | jq -r .role
    """
    resolver = app.resolver()
    terminal = app.terminal
    if revision in ("HEAD", "@"):
        # What Pi would send is what the leaf sees, edits behind the newest message included; nothing without entries.
        session, entry = resolver.session, resolver.session.leaf
    else:
        session, entry = resolver.point(revision)
    with terminal.paged():
        if as_json and not (explained or tokens or llm):
            from pisess_cli.view.jsonout import write_json

            write_json(terminal, session.projection(entry).as_json())
            return
        from pisess_cli.view import context as view

        if explained:
            view.explanation(terminal, session.path_to(entry), as_json=as_json)
        elif tokens:
            view.tokens(terminal, session.path_to(entry), as_json=as_json)
        elif llm:
            view.llm(terminal, session.projection(entry))
        else:
            view.text(terminal, session.projection(entry), system=system)
