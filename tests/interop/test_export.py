"""What `export` writes as JSONL the real Pi opens and goes on from, wherever the file lies."""

from pathlib import Path

from interop.pi import Pi, Pisess, Said, entry_saying, shown_for_model


def shown(pisess: Pisess, session: Path) -> list[Said]:
    return shown_for_model(pisess("-s", session, "show-context", "--llm"))


def assert_pi_goes_on_from(pi: Pi, pisess: Pisess, exported: Path) -> None:
    context = shown(pisess, exported)
    pi.model.answer("new answer")

    turn = pi.say("new question", session=exported)

    assert turn.reply == "new answer"
    assert turn.sent == [*context, Said("user", "new question")]
    assert shown(pisess, exported) == [*turn.sent, Said("assistant", "new answer")]


def test_from_a_path(pi: Pi, pisess: Pisess, session: Path, tmp_path: Path) -> None:
    before = session.read_bytes()
    target = entry_saying(session, "first answer")
    pisess("-s", session, "label", "good", target)

    exported = Path(pisess("-s", session, "export", target, "-o", tmp_path / "path.jsonl"))

    assert session.read_bytes().startswith(before)
    assert shown(pisess, exported)[-1] == Said("assistant", "first answer")
    assert pi.call_session_manager(["open", str(exported)], [["getLabel", target]])["results"] == ["good"]
    assert_pi_goes_on_from(pi, pisess, exported)


def test_from_the_whole_session(pi: Pi, pisess: Pisess, session: Path, tmp_path: Path) -> None:
    exported = Path(pisess("-s", session, "export", "--all", "-o", tmp_path / "whole.jsonl"))

    assert exported.read_bytes() == session.read_bytes()
    assert_pi_goes_on_from(pi, pisess, exported)
