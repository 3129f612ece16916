"""The arrows of the house go one way: commands → view, core; view → core; core → libraries. Read from the sources."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pisess_cli

PACKAGE = Path(pisess_cli.__file__).parent
CORE_LIBRARIES = {"msgspec", "platformdirs", "tomlkit", "send2trash"}


def sources(folder: str = "") -> list[Path]:
    return sorted((PACKAGE / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    parts = ("pisess_cli", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(nodes: Iterator[ast.AST]) -> set[str]:
    """The modules that the import statements name, in full."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in submodules if is_module(name)}
            # `from pisess_cli.core import jsonl` is an import of that module alone.
            found |= modules or {node.module}
    return found


def is_module(name: str) -> bool:
    path = PACKAGE.parent / Path(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def all_imports(path: Path) -> set[str]:
    """What a module imports anywhere, type checkers' imports included."""
    return imported(ast.walk(ast.parse(path.read_bytes())))


def run_imports(path: Path) -> set[str]:
    """What is imported when the module is, at its top level; not what type checkers alone read."""

    def top_level(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
        for node in nodes:
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                continue
            yield node
            for inner in ("body", "orelse", "handlers", "finalbody"):
                if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                    yield from top_level(getattr(node, inner, []))

    return imported(top_level(ast.parse(path.read_bytes()).body))


def roots(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def ours(path: Path) -> set[str]:
    """The modules of pisess that a module imports anywhere; the version, which the package itself holds, left out."""
    return of(all_imports(path), "pisess_cli") - {"pisess_cli"}


def of(modules: set[str], *packages: str) -> set[str]:
    """Those of the modules that are one of the packages or in it."""
    return {module for module in modules if any(f"{module}.".startswith(f"{package}.") for package in packages)}


every_module = pytest.mark.parametrize("path", sources(), ids=name_of)
core_modules = pytest.mark.parametrize("path", sources("core"), ids=name_of)
view_modules = pytest.mark.parametrize("path", sources("view"), ids=name_of)
command_modules = pytest.mark.parametrize(
    "path", [path for path in sources("commands") if path.name != "__init__.py"], ids=name_of
)


@core_modules
def test_the_core_knows_nothing_of_commands_views_and_terminals(path: Path) -> None:
    assert ours(path) == of(ours(path), "pisess_cli.core")


@core_modules
def test_the_core_needs_the_standard_library_and_few_others(path: Path) -> None:
    foreign = roots(all_imports(path)) - set(sys.stdlib_module_names) - {"pisess_cli"}

    assert foreign <= CORE_LIBRARIES


@core_modules
def test_the_core_never_prints(path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call)]
    names = {ast.unparse(function) for function in calls}

    assert not names & {"print", "input", "sys.exit", "exit"}
    assert not {name for name in names if name.startswith(("sys.stdout", "sys.stderr"))}


@view_modules
def test_a_view_knows_the_core_and_no_commands(path: Path) -> None:
    assert ours(path) == of(ours(path), "pisess_cli.core", "pisess_cli.view")
    assert "click" not in roots(all_imports(path))


@view_modules
def test_a_view_writes_no_session_file(path: Path) -> None:
    assert not of(all_imports(path), "pisess_cli.core.writer", "pisess_cli.core.new_sessions")


@command_modules
def test_a_command_is_one_file_that_makes_its_command(path: Path) -> None:
    functions = [node.name for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef)]

    assert "command" in functions


@every_module
def test_rich_is_imported_only_where_something_is_drawn(path: Path) -> None:
    assert "rich" not in roots(run_imports(path))


@every_module
def test_only_views_draw_with_rich(path: Path) -> None:
    assert path.is_relative_to(PACKAGE / "view") or "rich" not in roots(all_imports(path))


def test_importing_the_package_imports_nothing() -> None:
    assert all_imports(PACKAGE / "__init__.py") == set()


def test_the_entry_point_imports_nothing_of_ours_until_it_knows_what_is_asked() -> None:
    assert of(run_imports(PACKAGE / "__main__.py"), "pisess_cli") == set()


@core_modules
def test_no_module_of_the_core_imports_one_that_imports_it(path: Path) -> None:
    start = name_of(path)
    reached: set[str] = set()
    todo = [start]
    while todo:
        module = PACKAGE.parent / Path(*todo.pop().split("."))
        source = module.with_suffix(".py") if module.with_suffix(".py").exists() else module / "__init__.py"
        new = of(run_imports(source), "pisess_cli") - reached
        reached |= new
        todo += new

    assert start not in reached
