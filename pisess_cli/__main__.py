"""`python -m pisess_cli`, and what the console script starts."""

import atexit
import gc
import sys

# A run makes hundreds of thousands of objects and ends: looking for dead cycles among them so often is for nothing.
_COLLECT_EVERY = 500_000


def main() -> int:
    """Runs pisess with the words of the command line; returns the exit code."""
    gc.set_threshold(_COLLECT_EVERY)
    # Nor does the interpreter have to look through what is about to vanish with the process.
    atexit.register(gc.freeze)
    if sys.argv[1:] == ["--version"]:
        # Asked for by scripts and shells all the time: no need to load the commands' machinery.
        from pisess_cli import __version__

        sys.stdout.write(f"pisess {__version__}\n")
        return 0
    from pisess_cli.deferred import defer_imports

    defer_imports()
    if sys.argv[1:2] == ["__complete"]:
        from pisess_cli.complete import main as complete

        return complete(sys.argv[2:])
    from pisess_cli.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
