"""The arrows of the house go one way: commands → view, core; view → core; core → libraries. Read from the sources."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
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
    assert not of(all_imports(path), "pisess_cli.core.session.appender", "pisess_cli.core.store.new_sessions")


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


ROOMS = sorted(path.parent for path in sources("core") if path.name == "__init__.py" and path.parent.name != "core")
MAY_IMPORT = re.compile(r"^May import: (.+)\.$", re.MULTILINE)


def floors() -> dict[str, set[str]]:
    """What each room may import, as its own docstring says it."""
    found = {}
    for room in ROOMS:
        text = ast.get_docstring(ast.parse((room / "__init__.py").read_bytes())) or ""
        line = MAY_IMPORT.search(text)
        assert line, f"{room.name} does not say what it may import"
        found[room.name] = set(line[1].split(", "))
    return found


def room_of(module: str) -> str:
    """The room of a module of the core: its package, or its own name where it stands alone."""
    return module.removeprefix("pisess_cli.core.").partition(".")[0]


def circle(imports: Mapping[str, set[str]]) -> list[str]:
    """A way from a name back to itself, empty if there is none."""
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> list[str]:
        if name in way:
            return way[way.index(name) :]
        if name in done:
            return []
        found = next((circle for other in sorted(imports.get(name, ())) if (circle := visit(other, [*way, name]))), [])
        done.add(name)
        return found

    return next((found for name in imports if (found := visit(name, []))), [])


@core_modules
def test_a_module_of_the_core_imports_only_what_its_room_may(path: Path) -> None:
    room = room_of(name_of(path))
    if room == "manager":
        return
    allowed = {room, *floors().get(room, set())}

    assert {room_of(module) for module in of(ours(path), "pisess_cli.core")} <= allowed


def test_no_room_may_import_one_that_may_import_it() -> None:
    assert circle(floors()) == []
    assert set().union(*floors().values()) <= {*floors(), "errors"}


def test_no_modules_import_each_other_in_a_circle_not_even_late_or_for_types() -> None:
    assert circle({name_of(path): ours(path) - {name_of(path)} for path in sources()}) == []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]


def test_the_house_is_small_enough_to_find_ones_way() -> None:
    doors = [path for path in (PACKAGE / "core").iterdir() if path.name[0].isalpha()]

    assert len(doors) <= 14
    assert all(len(list(room.glob("[!_]*.py"))) <= 16 for room in ROOMS)


@every_module
def test_a_module_has_less_than_400_lines(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) < 400


def test_contributing_shows_the_rooms_as_they_describe_themselves() -> None:
    shown = (PACKAGE.parent / "CONTRIBUTING.md").read_text("utf-8")

    for name, allowed in floors().items():
        text = ast.get_docstring(ast.parse((PACKAGE / "core" / name / "__init__.py").read_bytes())) or ""
        first = text.partition("\n")[0]
        below = ", ".join(other for other in ("errors", *floors_upwards()) if other in allowed)
        assert f"| `{name}/` | {first} | {below} |" in shown


def floors_upwards() -> list[str]:
    """The rooms from below: each after all that it may import."""
    return sorted(floors(), key=lambda name: (len(floors()[name]), name))
