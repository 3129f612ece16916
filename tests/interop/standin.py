"""A stand-in for a model: a loopback server that speaks OpenAI's streaming chat completions and keeps what it was sent.

Answers are scripted one request at a time (`answer`, `call_bash`); where the script is at its end the stand-in says
`done N`, N being the number of requests so far. Python's standard library only.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Self

MODEL = "fake-1"
PROVIDER = "standin"

Json = dict[str, Any]


@dataclass(frozen=True)
class Text:
    """An answer in words, streamed in two pieces."""

    text: str

    def deltas(self) -> Iterator[Json]:
        """Yield the chunks' `delta` objects, in order."""
        middle = len(self.text) // 2
        yield {"role": "assistant", "content": self.text[:middle]}
        yield {"content": self.text[middle:]}

    finish = "stop"


@dataclass(frozen=True)
class BashCall:
    """An answer that asks for one command in Pi's `bash` tool."""

    command: str
    call_id: str

    def deltas(self) -> Iterator[Json]:
        """Yield the chunks' `delta` objects, in order."""
        function = {"name": "bash", "arguments": json.dumps({"command": self.command})}
        yield {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "id": self.call_id, "type": "function", "function": function}],
        }

    finish = "tool_calls"


class StandIn:
    """The server; a context manager that listens while it is entered. `requests` holds every body, oldest first."""

    def __init__(self) -> None:
        self.requests: list[Json] = []
        self._script: deque[Text | BashCall] = deque()
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        """The address that goes into Pi's `models.json`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def last_request(self) -> Json:
        """The newest request's body."""
        return self.requests[-1]

    def answer(self, *texts: str) -> None:
        """Answer the next requests with these texts, one each."""
        self._script.extend(Text(text) for text in texts)

    def call_bash(self, command: str) -> None:
        """Answer the next request with a call of Pi's bash tool."""
        self._script.append(BashCall(command, f"call_{len(self.requests)}_{len(self._script)}"))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, body: Json) -> Text | BashCall:
        with self._lock:
            self.requests.append(body)
            return self._script.popleft() if self._script else Text(f"done {len(self.requests)}")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        take = self._take

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if not self.path.endswith("/chat/completions"):
                    self.send_error(404)
                    return
                events = b"".join(stream(take(json.loads(body))))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(events)))
                self.end_headers()
                self.wfile.write(events)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
                """Keep the test's output to the test."""

        return Handler


def stream(answer: Text | BashCall) -> Iterator[bytes]:
    """Yield the answer as server-sent events: its pieces, the finish reason, the usage, the end mark."""
    for delta in answer.deltas():
        yield event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield event({"choices": [{"index": 0, "delta": {}, "finish_reason": answer.finish}]})
    yield event({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
    yield b"data: [DONE]\n\n"


def event(chunk: Json) -> bytes:
    """Return one server-sent event."""
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": MODEL}
    return b"data: " + json.dumps(frame | chunk).encode() + b"\n\n"
