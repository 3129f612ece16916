import json
import os
import sys
from pathlib import Path

TIME = "2026-03-01T10:00:00.000Z"
root = Path(sys.argv[1])
folder = root / "sessions" / "--x-y--"
folder.mkdir(parents=True)
for age, name in enumerate(("x/y", "x-y")):
    (root / name).mkdir(parents=True)
    said = {"role": "user", "content": f"in {name}"}
    lines = (
        {"type": "session", "version": 3, "id": f"s{age}", "timestamp": TIME, "cwd": str(root / name)},
        {"type": "message", "id": "aaaaaaaa", "parentId": None, "timestamp": TIME, "message": said},
    )
    file = folder / f"{age}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(file, (1000 + age, 1000 + age))
