"""The real Pi, driven in verbs: `pi.say("hi")`, `pi.compact(session)`, `pi.navigate(session, entry)`.

It runs in a home of its own against a model stand-in, and gives back what it said and what it sent to the model. The
normal form of a message in which Pi's requests and `pisess show-context --llm` are compared is `Said`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

from interop.standin import MODEL, PROVIDER, StandIn

HERE = Path(__file__).resolve().parent
PACKAGE = Path("@earendil-works/pi-coding-agent")
TIMEOUT_S = 60

Json = dict[str, Any]
Pisess = Callable[..., str]  # the fixture that runs the `pisess` command: arguments in, stdout out


class Said(NamedTuple):
    """A message as the model gets it: who, the text of all its text blocks, and its tool calls (name, arguments)."""

    role: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()


class Turn(NamedTuple):
    """What came of one run: Pi's words on stdout, and the messages of its last request without the system message."""

    reply: str
    sent: list[Said]


class PiTree(NamedTuple):
    """An installed Pi: the Node binary that runs it and the node_modules folder that holds it."""

    node: Path
    modules: Path

    @property
    def cli(self) -> Path:
        """The script behind the `pi` command, as the package's `bin` names it."""
        package = self.modules / PACKAGE
        script: str = json.loads((package / "package.json").read_text())["bin"]["pi"]
        return package / script


class Pi:
    """Pi in a home of its own below `scratch`, with one project; `model` answers."""

    def __init__(self, tree: PiTree, scratch: Path, model: StandIn) -> None:
        self.tree = tree
        self.model = model
        self.home = scratch / "home"
        self.agent_dir = self.home / ".pi" / "agent"
        self.project = self.new_project("project")
        self.agent_dir.mkdir(parents=True)
        standin = {
            "baseUrl": model.base_url,
            "api": "openai-completions",
            "apiKey": "dummy",
            "models": [{"id": MODEL}],
        }
        self._configure("models.json", {"providers": {PROVIDER: standin}})
        self._configure("settings.json", {"defaultProvider": PROVIDER, "defaultModel": MODEL})

    @property
    def env(self) -> dict[str, str]:
        """The environment of Pi and pisess alike: nothing of the caller's but the PATH, with both commands on it."""
        commands = [str(self.tree.modules / ".bin"), str(Path(sys.executable).parent)]
        return {
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "PATH": os.pathsep.join([*commands, os.environ.get("PATH", os.defpath)]),
            "PI_OFFLINE": "1",
            "PI_SKIP_VERSION_CHECK": "1",
            "PI_TELEMETRY": "0",
        }

    def new_project(self, name: str) -> Path:
        """Return a new, empty project directory."""
        project = self.home / name
        project.mkdir(parents=True)
        return project

    def session_dir(self, project: Path | None = None) -> Path:
        """Return the folder of a project's sessions (PI_SEMANTICS G, "Project folder")."""
        name = str(project or self.project).strip("/").replace("/", "-")
        return self.agent_dir / "sessions" / f"--{name}--"

    def sessions(self, project: Path | None = None) -> list[Path]:
        """Return a project's session files, oldest name first."""
        return sorted(self.session_dir(project).glob("*.jsonl"))

    def adopt(self, session: Path) -> Path:
        """Return a copy of another home's session as if it had been written in this project: its cwd goes with it."""
        header = json.loads(session.read_bytes().split(b"\n", 1)[0])
        self.session_dir().mkdir(parents=True)
        copy = self.session_dir() / session.name
        copy.write_bytes(session.read_bytes().replace(header["cwd"].encode(), str(self.project).encode()))
        return copy

    def say(
        self, text: str, *, session: Path | None = None, continue_: bool = False, project: Path | None = None
    ) -> Turn:
        """Let the user say this in print mode: in that session, in the most recent one, or in a new one."""
        which = ["--session", str(session)] if session else ["--continue"] if continue_ else []
        reply = self._run(["-p", *which, text], project)
        return Turn(reply.strip(), sent_to_model(self.model.last_request))

    def navigate(self, session: Path, entry: str, *, summarize: bool = False, label: str | None = None) -> None:
        """Pick an entry as in Pi's /tree, with or without a summary of what is left."""
        command = {"id": entry, "summarize": summarize} | ({} if label is None else {"label": label})
        extension = str(HERE / "navigate.ts")
        self._run(["-p", "-e", extension, "--session", str(session), f"/navigate {json.dumps(command)}"])

    def compact(self, session: Path, *, keep_recent: int) -> Json:
        """Let Pi compact the session; return the data of its answer. Raises AssertionError when Pi refuses."""
        settings = {"defaultProvider": PROVIDER, "defaultModel": MODEL, "compaction": {"keepRecentTokens": keep_recent}}
        self._configure("settings.json", settings)
        answer = self._ask_rpc(session, {"id": "1", "type": "compact"})
        assert answer["success"], answer
        data: Json = answer["data"]
        return data

    def call_session_manager(self, start: Sequence[Any], calls: Iterable[Sequence[Any]]) -> Json:
        """Call Pi's SessionManager as `session_manager.mjs` describes; return its answer."""
        command = [str(self.tree.node), str(HERE / "session_manager.mjs")]
        request = json.dumps({"start": start, "calls": list(calls)})
        env = self.env | {"PI_NODE_MODULES": str(self.tree.modules)}
        done = subprocess.run(
            command,
            input=request,
            env=env,
            cwd=self.project,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answer: Json = json.loads(done.stdout)
        return answer

    def _configure(self, name: str, value: Json) -> None:
        (self.agent_dir / name).write_text(json.dumps(value))

    def _command(self, args: Sequence[str]) -> list[str]:
        return [str(self.tree.node), str(self.tree.cli), *args]

    def _run(self, args: Sequence[str], project: Path | None = None) -> str:
        done = subprocess.run(
            self._command(args),
            cwd=project or self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _ask_rpc(self, session: Path, request: Json) -> Json:
        with subprocess.Popen(
            self._command(["--mode", "rpc", "--session", str(session)]),
            cwd=self.project,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            deadline = Timer(TIMEOUT_S, process.kill)
            deadline.start()
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                answers = (json.loads(line) for line in process.stdout)
                return next(a for a in answers if a.get("type") == "response" and a.get("id") == request["id"])
            finally:
                process.stdin.close()
                process.stdout.read()
                process.wait()
                deadline.cancel()


def sent_to_model(request: Json) -> list[Said]:
    """Return a request's messages in normal form. Pi builds the one system message anew: it must be the first."""
    system, *rest = request["messages"]
    assert system["role"] == "system"
    said = [_from_request(message) for message in rest]
    assert all(message.role != "system" for message in said)
    return said


def shown_for_model(json_lines: str) -> list[Said]:
    """Return the output of `pisess show-context --llm` in normal form, without the system messages."""
    messages = [json.loads(line) for line in json_lines.splitlines()]
    return [_from_llm(message) for message in messages if message["role"] != "system"]


def entries(session: Path) -> list[Json]:
    """Return the entries of a session file, header left out, in file order."""
    return [json.loads(line) for line in session.read_bytes().splitlines()[1:]]


def path_lines(session: Path) -> list[str]:
    """Return the lines of the current path, from the file's last entry up to its root, as they stand in the file."""
    lines = session.read_text(encoding="utf-8").split("\n")[1:-1]
    line_of = {json.loads(line)["id"]: line for line in lines}
    path = [lines[-1]]
    while parent := json.loads(path[-1])["parentId"]:
        path.append(line_of[parent])
    return path


def entry_saying(session: Path, text: str) -> str:
    """Return the id of the newest message entry with exactly this text."""
    said = [e for e in entries(session) if e["type"] == "message" and _text(e["message"]["content"]) == text]
    entry_id: str = said[-1]["id"]
    return entry_id


def _from_request(message: Json) -> Said:
    role = "toolResult" if message["role"] == "tool" else message["role"]
    functions = [call["function"] for call in message.get("tool_calls", [])]
    calls = tuple((f["name"], _canonical(json.loads(f["arguments"]))) for f in functions)
    return Said(role, _text(message["content"]), calls)


def _from_llm(message: Json) -> Said:
    content = message["content"]
    blocks = [] if isinstance(content, str) else content
    calls = tuple((b["name"], _canonical(b["arguments"])) for b in blocks if b["type"] == "toolCall")
    return Said(message["role"], _text(content), calls)


def _text(content: str | list[Json] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(block["text"] for block in content if block["type"] == "text")


def _canonical(arguments: Json) -> str:
    return json.dumps(arguments, sort_keys=True)
