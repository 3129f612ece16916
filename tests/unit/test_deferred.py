"""Modules that are loaded when somebody looks at them: tried in a fresh interpreter, which has loaded none yet."""

import subprocess
import sys

import pytest

START = "import sys; from pisess_cli.deferred import DEFERRED, Deferred, defer_imports; defer_imports(); "


def says(code: str) -> str:
    """What a fresh interpreter without site packages' own imports prints."""
    done = subprocess.run(
        [sys.executable, "-c", START + code], capture_output=True, text=True, timeout=60, check=True, stdin=None
    )
    return done.stdout.strip()


def test_an_import_loads_nothing_until_an_attribute_is_asked_for() -> None:
    code = (
        "import shutil, tempfile, shutil as again; waits = isinstance(shutil, Deferred); "
        "found = callable(shutil.copyfile); print(waits, found, isinstance(shutil, Deferred), again is shutil)"
    )

    assert says(code) == "True True False True"


def test_a_name_can_be_imported_from_it() -> None:
    assert says("from textwrap import dedent; print(dedent('  x'))") == "x"


def test_a_missing_attribute_is_missing() -> None:
    assert says("import fnmatch; print(hasattr(fnmatch, 'no_such_name'), hasattr(fnmatch, 'filter'))") == "False True"


def test_a_submodule_can_be_deferred() -> None:
    code = (
        "import msgspec; waits = isinstance(sys.modules['msgspec.toml'], Deferred); "
        "print(waits, msgspec.inspect.type_info(int))"
    )

    assert says(code) == "True IntType(gt=None, ge=None, lt=None, le=None, multiple_of=None)"


def test_what_is_there_already_stays() -> None:
    code = "import json; import sys; before = json; defer_imports(); import json; print(json is before, len(sys.meta_path))"

    assert says(code) == says("import json; import sys; print(True, len(sys.meta_path))")


def test_the_source_is_still_found() -> None:
    assert says("import inspect, textwrap; print('def dedent' in inspect.getsource(textwrap))") == "True"


@pytest.mark.parametrize("name", ["fnmatch", "inspect", "ipaddress", "msgspec.inspect", "shutil", "textwrap"])
def test_each_of_them_loads(name: str) -> None:
    code = f"import importlib; module = importlib.import_module({name!r}); print(len(dir(module.__doc__)) > 0, "
    code += "isinstance(module, Deferred), bool(getattr(module, 'x', 1)), isinstance(module, Deferred))"

    assert says(code) == "True True True False"
