"""Puts the man pages into the wheel where man looks for them: each into the folder of its section."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManPages(BuildHookInterface):  # type: ignore[type-arg] # hatchling has no type for its build configuration
    """Adds every page of `man/` to the shared data."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's own signature
        """Called by hatchling before it builds."""
        for page in sorted(Path(self.root, "man").iterdir()):
            build_data["shared_data"][str(page)] = f"share/man/man{page.suffix[1:]}/{page.name}"
