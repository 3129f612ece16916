import sys
from pathlib import Path

sessions = Path(sys.argv[1]) / "sessions"
sessions.mkdir()
(sessions / "--home-me-app--").symlink_to("../real")
