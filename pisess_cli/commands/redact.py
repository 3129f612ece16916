"""`pisess redact`: a copy of a session with entries, words or likely secrets taken out."""

from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import NotFound, UnknownName, UsageFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pisess_cli.core.format.entries import Entry
    from pisess_cli.core.session.session import Session


@options.pisess_command()
@click.argument("revisions", nargs=-1, metavar="[REV | A..B | REGEX]...")
@options.option("--pattern", "patterns", multiple=True, metavar="REGEX", help="Take out what this matches, everywhere.")
@options.option("--text", "texts", multiple=True, metavar="TEXT", help="Take out this text, everywhere.")
@options.option("-i", "--ignore-case", is_flag=True, help="Pay no attention to case.")
@options.option("--secrets", is_flag=True, help="Take out likely secrets: tokens, private keys, passwords.")
@options.option("-o", "--output", metavar="FILE", help="Write the copy into this new file.")
@options.dry_run_option
@options.json_option
def command(
    app: App,
    revisions: tuple[str, ...],
    patterns: tuple[str, ...],
    texts: tuple[str, ...],
    ignore_case: bool,
    secrets: bool,
    output: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Copy a session with [redacted] in place of some of it, and print the new file's path.

    The old session stays as it is. Entries that are named lose all their words and images, other entries that quote
    them do not. Patterns, texts and likely secrets are taken out of everything that was said, called, put out and
    noted, of labels, names and the session's directory. What names no entry is taken as a pattern.

    What holds the session together stays, so that Pi opens it: ids, types, times, names of tools and models. Images
    are not looked into, and what is likely a secret is a guess: read the copy before you hand it on. Lines that are no
    JSON are left out. Without -o the copy is a new session of the same project.

    \b
    Examples:
      pisess redact --secrets -o to-share.jsonl
      pisess redact --text src/parser.py --pattern '[a-z.]+@example[.]com' -o to-share.jsonl
      pisess redact HEAD~2 'swordfish|sesame' --dry-run
    """
    from pisess_cli.core.copies.copy_plan import plan_copy
    from pisess_cli.core.copies.redact import Redaction, Words
    from pisess_cli.view.copies import redaction_as_json, redaction_in_words
    from pisess_cli.view.jsonout import write_json

    has_words = bool(patterns or texts or secrets)
    if not revisions and not has_words:
        raise UsageFault("nothing says what to take out", hint="name entries, or give --secrets, --text or --pattern")
    if not all(texts):
        raise UsageFault("an empty text is everywhere", hint="--text is followed by what is to be taken out")
    session = app.open()
    chosen: list[Entry] = []
    for name in revisions:
        try:
            chosen += _named(app, session, name)
        except UnknownName:
            patterns += (name,)
    words = Words(patterns, texts, ignore_case=ignore_case, secrets=secrets) if patterns or has_words else None
    plan = plan_copy(session, output, app.session_dir, app.cwd)
    with app.terminal.progress(session.file.size, "redacting") as progress:
        redaction = Redaction(session, chosen, words, header=plan.header, tick=progress.advance)
    # A session without secrets is as good as redacted; a word that is not there may be mistyped.
    if not redaction.replaced and (patterns or texts or revisions):
        raise NotFound(
            f"nothing to take out was found ({session.path})",
            hint="ids, types and names of tools and models stay" if redaction.left else None,
        )
    if not dry_run:
        plan.write(redaction.lines())
    for line in redaction_in_words(redaction):
        app.terminal.note(line)
    if as_json:
        write_json(app.terminal, redaction_as_json(plan.path, redaction))
    elif not dry_run:
        app.terminal.path(str(plan.path))


def _named(app: App, session: "Session", revision: str) -> "Iterator[Entry]":
    from pisess_cli.core.session.revisions import range_entries

    resolver = app.resolver(session)
    found = resolver.range(revision)
    if found is None:
        yield resolver.own_entry(revision)
    elif found.session.path == session.path:
        yield from range_entries(found)
    else:
        raise UsageFault(f"those entries are in another session ({revision})", hint="name the session with -s")
