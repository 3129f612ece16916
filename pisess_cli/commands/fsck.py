"""`pisess fsck`: what is wrong with sessions, and repaired copies of them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import NotASession, PisessError, UsageFault


@options.pisess_command()
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@options.option("--all", "every", is_flag=True, help="Check every session of the session directory.")
@options.option("--repair", "copy", metavar="OUT", help="Write a repaired copy into this new file, and print its name.")
@options.dry_run_option
@options.json_option
def command(
    app: App, sessions: tuple[str, ...], every: bool, copy: str | None, dry_run: bool, as_json: bool
) -> int | None:
    """Check sessions for faults, a line each: the file, the line in it, a code, and what is wrong there.

    Exit code 1 if there are errors or warnings; notes are no faults. A session as Pi writes it gives no output. Nothing
    is ever repaired in place: --repair makes a copy, in which every sound line is as it was, and says on stderr what it
    did; with --dry-run it only tells. What is an error is gone from the copy, what is a warning stays for you to judge.

    \b
    Examples:
      pisess fsck
      pisess fsck --all --json | jq -r .code | sort | uniq -c
      pisess fsck broken.jsonl --repair mended.jsonl --dry-run
    """
    if every and sessions:
        raise UsageFault("--all checks every session; name none")
    if copy is not None:
        if every or len(sessions) > 1:
            raise UsageFault("--repair writes a copy of one session")
        _repair(app, sessions[0] if sessions else None, copy, dry_run=dry_run, as_json=as_json)
        return None
    if dry_run:
        raise UsageFault("--dry-run goes with --repair")
    if every:
        from pisess_cli.core.store.directory import session_files

        return _check(app, session_files(app.session_dir.path), pass_over=True, as_json=as_json)
    return _check(app, [app.find_session(name) for name in sessions or (None,)], pass_over=False, as_json=as_json)


def _check(app: App, paths: Sequence[Path], *, pass_over: bool, as_json: bool) -> int:
    # What is no session fails, or is passed over. A file that cannot be read does not keep the rest from being checked.
    from pisess_cli.core.copies.file_scan import FileScan
    from pisess_cli.core.copies.findings import Severity
    from pisess_cli.core.copies.fsck import check
    from pisess_cli.view.fsck import summary, write_findings

    counts: Counter[Severity] = Counter()
    checked = unread = 0
    with app.terminal.paged(), app.terminal.progress(len(paths), "checking sessions") as progress:
        for path in paths:
            progress.advance()
            try:
                findings = check(FileScan(path))
            except PisessError as error:
                if pass_over and isinstance(error, NotASession):
                    app.terminal.note(error.message)
                else:
                    app.terminal.error(error.message)
                    unread += 1
                continue
            write_findings(app.terminal, path, findings, as_json=as_json)
            counts.update(finding.severity for finding in findings)
            checked += 1
    if counts or pass_over:
        app.terminal.note(summary(counts, checked))
    return int(unread > 0 or counts["error"] + counts["warning"] > 0)


def _repair(app: App, selector: str | None, copy: str, *, dry_run: bool, as_json: bool) -> None:
    from pisess_cli.core.copies.file_scan import FileScan
    from pisess_cli.core.copies.fsck import check
    from pisess_cli.core.copies.repair import Repair
    from pisess_cli.core.storage.paths import new_path
    from pisess_cli.view.fsck import summary, write_actions
    from pisess_cli.view.jsonout import write_json

    source, target = app.find_session(selector), new_path(copy, app.cwd, "a repaired copy")
    repair = Repair(FileScan(source))
    if dry_run:
        with app.terminal.paged():
            write_actions(app.terminal, source, repair.actions, as_json=as_json)
        return
    repair.write(target)
    stays = Counter(finding.severity for finding in check(FileScan(target)))
    app.terminal.note(f"changes made: {len(repair.actions)}; what stays: {summary(stays, 1)}")
    if as_json:
        write_json(app.terminal, {"path": str(target), "changes": len(repair.actions)})
    else:
        app.terminal.path(str(target))
