import json
import sys
from pathlib import Path

TIME = "2026-03-01T10:00:00.000Z"
IMAGE = {"type": "image", "data": "iVBOR" * 4_000_000, "mimeType": "image/png"}


def message(entry_id: str, parent: str | None, content: object) -> dict[str, object]:
    said = {"role": "user", "content": content}
    return {"type": "message", "id": entry_id, "parentId": parent, "timestamp": TIME, "message": said}


with (Path(sys.argv[1]) / "input.jsonl").open("w") as file:
    for line in (
        {"type": "session", "version": 3, "id": "huge", "timestamp": TIME, "cwd": "/"},
        message("aaaaaaaa", None, [{"type": "text", "text": "look"}, IMAGE]),
        message("bbbbbbbb", "aaaaaaaa", "behind the picture"),
    ):
        file.write(json.dumps(line) + "\n")
