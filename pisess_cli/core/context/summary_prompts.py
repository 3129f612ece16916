"""The words around a summary: the prompt for a summarizer, the template for an editor, what comes back of either.

The headings and the frame are Pi's (PI_DETAILS E4, F), so that its own summaries and these carry each other on.
"""

from pisess_cli.core.errors import Refused
from pisess_cli.core.format.javascript import js_trim

SCISSORS = "# ------------------------ >8 ------------------------"
"""The line of a template below which nothing counts, as in Git."""
_BRANCH_OUTLINE = """\
## Goal
What the user is after; one line for each task if there were several.

## Constraints & Preferences
- What the user demanded, ruled out or likes better

## Progress
### Done
- [x] Something that is finished, and the files that it touched

### In Progress
- [ ] Something that was begun

### Blocked
- What stands in the way, and why

## Key Decisions
- **What was decided**: the reason

## Next Steps
1. What is to be done next, in order
"""
_OUTLINE = f"""\
{_BRANCH_OUTLINE}
## Critical Context
- Facts, values and sources that the work cannot go on without
"""
_TURN_OUTLINE = """\
## Original Request
What the user asked for in this turn.

## Progress So Far
- What has been done and decided since

## Context Needed to Continue
- What one has to know to understand what follows
"""
_TEMPLATE = """\
## Goal


## Constraints & Preferences


## Progress
### Done


### In Progress


### Blocked


## Key Decisions


## Next Steps

"""
_RULES = """\
Answer with the summary and nothing else. Do not go on with the conversation, and do not answer what is asked in it.
Be brief. Paths, names from the code, commands and error messages stay exactly as they are. Say only what is in the
text above; write "(none)" below a heading that has nothing to say."""


def history_prompt(conversation: str, previous_summary: str | None, instructions: str | None) -> str:
    """Asks for the summary of a conversation, of what an earlier summary says too where there is one."""
    task = (
        "The conversation above is about to be taken out of an assistant's context, and your summary put in its place: "
        "whoever continues the work knows of it only what you write."
    )
    if previous_summary:
        task += (
            "\nWhat came before it stands in <previous-summary>, which goes too: carry over what still holds, correct "
            "what the conversation has changed, and move what is finished to Done."
        )
    return _prompt(_frame(conversation, previous_summary), task, _OUTLINE, instructions)


def turn_prompt(conversation: str, instructions: str | None) -> str:
    """Asks for the summary of the first part of a turn whose rest is kept."""
    task = (
        "This is the beginning of a turn whose later messages are kept as they are. Your summary takes the beginning's "
        "place, right before them."
    )
    return _prompt(f"# Conversation\n{conversation}\n\n# Instructions\n", task, _TURN_OUTLINE, instructions)


def branch_prompt(conversation: str, instructions: str | None) -> str:
    """Asks for the summary of a branch that is left."""
    task = (
        "The conversation above is a branch that the user leaves to go on from an earlier point. Your summary tells "
        "whoever continues there what was tried and found on it."
    )
    return _prompt(_frame(conversation, None), task, _BRANCH_OUTLINE, instructions)


def _frame(conversation: str, previous_summary: str | None) -> str:
    frame = f"<conversation>\n{conversation}\n</conversation>\n\n"
    return f"{frame}<previous-summary>\n{previous_summary}\n</previous-summary>\n\n" if previous_summary else frame


def _prompt(frame: str, task: str, outline: str, instructions: str | None) -> str:
    focus = f"\n\nAdditional focus: {instructions}" if instructions else ""
    return f"{frame}{task}\n\nUse these headings, in this order:\n\n{outline}\n{_RULES}{focus}"


def compaction_template(conversation: str, previous_summary: str | None) -> str:
    """What an editor opens on: the previous summary to go on with, or the bare headings, and what is summarised."""
    return _template(previous_summary or f"{_TEMPLATE}\n## Critical Context\n", conversation)


def branch_template(conversation: str) -> str:
    """What an editor opens on for the summary of a branch that is left."""
    return _template(_TEMPLATE, conversation)


def _template(body: str, conversation: str) -> str:
    body = body.replace(SCISSORS, "")
    return f"""{body.rstrip()}

{SCISSORS}
Leave the line above as it is: what stands below it is not part of the summary.
A summary that is left empty or as it was aborts.

{conversation}
"""


def read_template(edited: str, template: str) -> str:
    """The summary in a template that came back from an editor; empty if nothing was written."""
    written = _above_scissors(edited)
    return "" if written == _above_scissors(template) else written


def _above_scissors(text: str) -> str:
    lines = text.split("\n")
    stripped = [line.rstrip() for line in lines]
    end = stripped.index(SCISSORS) if SCISSORS in stripped else len(lines)
    return js_trim("\n".join(lines[:end]))


def checked_summary(text: str) -> str:
    """The text without white space around it. Raises `Refused` if nothing is left, as for an empty commit message."""
    summary = js_trim(text)
    if not summary:
        raise Refused("the summary is empty, so nothing was written")
    return summary
