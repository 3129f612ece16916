"""`pisess prune`: a copy of a session without some of its branches, images and long outputs."""

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import NotFound, UsageFault

_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


def _size(_ctx: click.Context, _param: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    unit = text[-1:].lower() if text[-1:].isalpha() else ""
    digits = text.removesuffix(text[-1:]) if unit else text
    if not (digits.isascii() and digits.isdecimal() and unit in _UNITS):
        raise UsageFault(f"not a number of bytes ({text})", hint="write it as 2000, 100k or 1M")
    return int(digits) * _UNITS[unit]


@options.pisess_command()
@click.argument("source", required=False, metavar="[SESSION]")
@options.option(
    "--branch", "branches", multiple=True, metavar="REV", help="Leave out the branches that hold this entry."
)
@options.option(
    "--older-than",
    metavar="DATE",
    callback=options.moment(end_of_day=False),
    help="Leave out branches that ended before this: 30d, '2 weeks', 2026-05-01.",
)
@options.option(
    "--merged-into", metavar="REV", help="Leave out branches that a branch summary on the path to REV is of."
)
@options.option(
    "--keep",
    "kept",
    multiple=True,
    metavar="REV",
    help="Keep the branches that hold this entry; alone, leave out all others.",
)
@options.option("--strip-images", is_flag=True, help="Put a note in place of each image.")
@options.option(
    "--max-output",
    metavar="N",
    callback=_size,
    help="Cut what tools and commands put out to N bytes each (2000, 100k, 1M).",
)
@options.option("-o", "--output", metavar="FILE", help="Write the copy into this new file.")
@options.dry_run_option
@options.json_option
def command(
    app: App,
    source: str | None,
    branches: tuple[str, ...],
    older_than: float | None,
    merged_into: str | None,
    kept: tuple[str, ...],
    strip_images: bool,
    max_output: int | None,
    output: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Copy a session without chosen branches, and print the new file's path.

    The old session stays as it is. Without -o the copy is a new session of the same project, as a fork is; with -o it
    keeps the header too, so that it can take the old one's place. Lines that stay keep their bytes.

    A branch goes if any of the options says so, but the current one never does. Only what no other branch has goes with
    it; labels on entries that stay, and results of tool calls that stay, are kept. A branch counts as merged where its
    last entry was left with a summary, as by pisess checkout -m, or where it was merged into such a branch.

    \b
    Examples:
      pisess prune --keep HEAD
      pisess prune --older-than 30d --merged-into HEAD --dry-run
      pisess prune --keep HEAD --strip-images --max-output 2000 -o slim.jsonl
    """
    from pisess_cli.core.copies.copy_plan import plan_copy
    from pisess_cli.core.copies.prune import Choice, Pruning, chosen_branches
    from pisess_cli.core.copies.trimming import Trimming
    from pisess_cli.view.branches import write_branches
    from pisess_cli.view.copies import savings_as_json, savings_in_words
    from pisess_cli.view.jsonout import write_json

    session = app.open(source)
    entry = app.resolver(session).own_entry
    choice = Choice(
        holding=[entry(revision) for revision in branches],
        older_than=older_than,
        merged_into=None if merged_into is None else entry(merged_into),
        kept=[entry(revision) for revision in kept],
    )
    trimming = Trimming(strip_images, max_output)
    if choice.is_empty and trimming.is_idle:
        raise UsageFault("nothing says what to leave out", hint="--keep HEAD leaves out all branches but the current")
    dropped = [] if choice.is_empty else chosen_branches(session, choice)
    plan = plan_copy(session, output, app.session_dir, app.cwd)
    pruning = Pruning(session, dropped, trimming=trimming, header=plan.header)
    if not pruning.is_needed:
        raise NotFound(f"nothing to leave out: no branch and no content is like that ({session.path})")
    if not dry_run:
        plan.write(pruning.lines())
    elif not as_json:
        with app.terminal.paged():
            write_branches(app.terminal, dropped, app.date_format(None, "relative"), verbose=True, as_json=False)
    app.terminal.note(savings_in_words(pruning.savings, len(dropped)))
    if as_json:
        write_json(app.terminal, savings_as_json(plan.path, pruning.savings, len(dropped)))
    elif not dry_run:
        app.terminal.path(str(plan.path))
