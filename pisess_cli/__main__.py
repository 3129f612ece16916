"""`python -m pisess_cli`, and what the console script starts."""

import sys


def main() -> int:
    """Runs pisess with the words of the command line; returns the exit code."""
    if sys.argv[1:] == ["--version"]:
        # Asked for by scripts and shells all the time: no need to load the commands' machinery.
        from pisess_cli import __version__

        sys.stdout.write(f"pisess {__version__}\n")
        return 0
    from pisess_cli.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
