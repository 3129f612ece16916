"""Modules that libraries import and hardly any run looks at: they are loaded when somebody does look.

A sixth of the start goes into them. Python 3.15 has lazy imports of its own (PEP 810); `importlib.util.LazyLoader`
loads a module as soon as a second `import` names it, so it does not serve here.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

DEFERRED = frozenset(
    (
        "fnmatch",  # pathlib, for patterns
        "inspect",  # click, for help and prompts
        "ipaddress",  # urllib.parse, for the hosts of addresses
        "msgspec.inspect",
        "msgspec.toml",
        "msgspec.yaml",
        "shutil",  # tempfile, for temporary directories
        "textwrap",  # msgspec, for JSON Schema
    )
)
"""Only what libraries use by `module.name`: a `from module import name` looks at once."""


class Deferred(ModuleType):
    """A module whose code runs when an attribute is missed, which then is there or not, as in any module."""

    def __getattr__(self, name: str) -> object:
        loader = self.__spec__ and self.__spec__.loader
        self.__class__ = ModuleType  # type: ignore[assignment] # what it is from here on
        if isinstance(loader, _Loader):
            loader.run(self)
        return getattr(self, name)


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = Deferred

    def run(self, module: ModuleType) -> None:
        super().exec_module(module)


class _Finder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in DEFERRED:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


_FINDER = _Finder()


def defer_imports() -> None:
    """Puts off the loading of `DEFERRED` in this process, of what is not loaded yet. For programs of one thread."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
