import sys
from pathlib import Path

(Path(sys.argv[1]) / "folder.jsonl").mkdir()
