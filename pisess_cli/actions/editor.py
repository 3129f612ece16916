"""The user's editor, opened on a text."""

import subprocess
import tempfile
from pathlib import Path

from pisess_cli.app import App
from pisess_cli.core.errors import PisessError


def edit_text(app: App, text: str, file_name: str) -> str:
    """What the user makes of the text in the editor; itself, to the letter, if the file was left as it was.

    The file's name tells the editor what it is. Raises `PisessError` if the editor does not start or fails.
    """
    setting = app.settings.effective("editor", app.environment)
    editor = setting.value if setting else "vi"
    # Editors end a file with a newline; whether the text has one is not to change by that.
    opened = f"{text}\n".encode("utf-8", "replace")
    with tempfile.TemporaryDirectory(prefix="pisess-") as folder:
        file = Path(folder) / file_name
        file.write_bytes(opened)
        # As in Git, the editor is a command line of the user's, the file its last word.
        edited = subprocess.run(["sh", "-c", f'{editor} "$1"', editor, str(file)], check=False)  # noqa: S603, S607
        if edited.returncode:
            raise PisessError(f"the editor failed with exit code {edited.returncode} ({editor})")
        written = file.read_bytes()
    return text if written == opened else written.decode("utf-8", "replace").removesuffix("\n")
