"""The console script, also run as ``python -m s2fs``."""

import sys


def run() -> None:
    """Run the command line, or say in one line what has to be installed first."""
    try:
        import click  # noqa: F401  (both come with the extra)
        import rich  # noqa: F401
    except ImportError as error:
        print(
            f"Error: The command line needs {error.name}: pip install 's2fs[cli]'.",
            file=sys.stderr,
        )
        sys.exit(2)
    from s2fs.cli import main  # needs the packages above

    main()


if __name__ == "__main__":
    run()
