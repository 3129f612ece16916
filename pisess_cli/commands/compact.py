"""`pisess compact`: a summary in the place of the older part of the context."""

from typing import TYPE_CHECKING

from pisess_cli import options
from pisess_cli.actions.summary_source import SummaryOptions, SummaryTask, read_summary
from pisess_cli.app import App
from pisess_cli.core.errors import Refused, UsageFault

if TYPE_CHECKING:
    from pisess_cli.core.context.compaction import Preparation
    from pisess_cli.core.session.session import Session


@options.pisess_command()
@options.summary_options
@options.option(
    "--keep-recent", type=int, metavar="TOKENS", help="Keep about as many tokens of the newest messages (20000)."
)
@options.option("--first-kept", metavar="REV", help="Keep what begins at this entry.")
@options.option("--keep-none", is_flag=True, help="Keep nothing: summarise all.")
@options.force_option
@options.dry_run_option
@options.json_option
def command(
    app: App,
    message: str | None,
    message_file: str | None,
    summarizer: str | None,
    edit: bool,
    instructions: str | None,
    keep_recent: int | None,
    first_kept: str | None,
    keep_none: bool,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put a summary in the place of the older part of the context, where Pi would cut it, and print its entry's id.

    The summary comes from -m, from a file, from a command that summarises (also `summarizer` in the settings), or
    from the editor. Nothing is lost: the entries stay, and a checkout before the summary brings them back.

    \b
    Examples:
      pisess compact --dry-run
      pisess compact -m 'Parser done; next: the cache.'
      pisess compact --summarizer 'pi -p --no-session --no-tools'
    """
    from pisess_cli.core.changes.compact import append_compaction
    from pisess_cli.core.context.compaction import compaction_prompts, finish_summary, join_answers, summary_template
    from pisess_cli.core.session.appender import Appender
    from pisess_cli.view.compaction import write_plan
    from pisess_cli.view.made import write_made

    if sum((keep_recent is not None, first_kept is not None, keep_none)) > 1:
        raise UsageFault("--keep-recent, --first-kept and --keep-none do not go together")
    session = app.open()
    preparation = _prepare(app, session, keep_recent, first_kept, keep_none=keep_none)
    if dry_run:
        write_plan(app.terminal, session, preparation, as_json=as_json)
        return
    app.refuse_inside_pi(session, force=force)
    task = SummaryTask(
        prompts=lambda wishes: compaction_prompts(preparation, wishes),
        join=lambda answers: join_answers(preparation, answers),
        template=lambda: summary_template(preparation),
    )
    given = SummaryOptions(message, message_file, summarizer, edit, instructions)
    summary = finish_summary(preparation, read_summary(app, given, task))
    leaf = session.leaf
    with Appender(session.path) as appender:
        if leaf is None or appender.leaf_id != leaf.id:
            raise Refused(
                "the session went on while the summary was written, so nothing was compacted", hint="compact it again"
            )
        made = append_compaction(appender, preparation, summary)
    write_made(app.terminal, made, as_json=as_json)


def _prepare(
    app: App, session: "Session", keep_recent: int | None, first_kept: str | None, *, keep_none: bool
) -> "Preparation":
    from pisess_cli.core.context import compaction

    path = compaction.compaction_path(session.walk(session.leaf))
    if first_kept is not None:
        found = compaction.prepare_keeping(path, app.resolver(session).own_entry(first_kept))
    elif keep_none:
        found = compaction.prepare_keeping_none(path)
    else:
        found = compaction.prepare_compaction(
            path, compaction.KEEP_RECENT_TOKENS if keep_recent is None else keep_recent
        )
    if found is None:
        raise Refused(
            "there is nothing to compact: it is compacted already, or all of it is to be kept",
            hint="--keep-recent says how many tokens to keep, --keep-none keeps nothing",
        )
    return found
