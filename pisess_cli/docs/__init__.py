"""Man pages and completions, made from the commands' own definitions; `python -m pisess_cli.docs` writes them."""

RELEASED = "2026-12-02"
"""The date of this version: the pages carry it, so that they are the same whenever they are made."""

TOPICS = {"revisions": 7, "format": 5}
"""The man pages that are about no command, each with its section of the manual."""
