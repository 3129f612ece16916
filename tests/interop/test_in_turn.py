"""One session, used in turn by Pi and pisess: every line it ever held stays, byte for byte and in its place."""

import json
from itertools import cycle, islice
from pathlib import Path

from interop.pi import Pi, Pisess, Said, shown_for_model

ROUNDS = 20
MOVES = [
    ("label", "mark", "HEAD"),
    ("checkout", "HEAD~2"),
    ("compact", "-m", "what was said", "--keep-recent", "1"),
    ("checkout", "HEAD~1", "-m", "what was tried"),
    ("label", "-d", "mark"),
    ("checkout", "--root"),
    ("checkout", "-"),
]


def test_twenty_turns_keep_every_line(pi: Pi, pisess: Pisess, session: Path) -> None:
    held = session.read_bytes()

    for number, move in enumerate(islice(cycle(MOVES), ROUNDS)):
        pisess("-s", session, *move)
        moved = session.read_bytes()
        assert moved.startswith(held), move
        context = shown_for_model(pisess("-s", session, "show-context", "--llm"))

        turn = pi.say(f"question {number}", continue_=True)

        held = session.read_bytes()
        assert held.startswith(moved), move
        assert turn.sent == [*context, Said("user", f"question {number}")], move

    assert pi.sessions() == [session]
    assert held.endswith(b"\n")
    assert all(isinstance(json.loads(line), dict) for line in held.splitlines())
