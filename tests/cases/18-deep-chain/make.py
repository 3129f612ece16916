import json
import sys
from pathlib import Path

TIME = "2026-03-01T10:00:00.000Z"
parent = None
with (Path(sys.argv[1]) / "input.jsonl").open("w") as file:
    file.write(json.dumps({"type": "session", "version": 3, "id": "deep", "timestamp": TIME, "cwd": "/"}) + "\n")
    for number in range(30_000):
        entry = {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": TIME}
        file.write(json.dumps(entry | {"message": {"role": "user", "content": str(number)}}) + "\n")
        parent = entry["id"]
