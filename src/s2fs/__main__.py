"""The console script, also run as ``python -m s2fs``."""

import sys

from s2fs._util.optional import need


def run() -> None:
    """Run the command line, or say in one line what has to be installed first."""
    try:
        for package in ("click", "rich"):
            need(package, extra="cli", purpose="The command line")
    except ImportError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    from s2fs.cli import main  # needs the packages above

    main()


if __name__ == "__main__":
    run()
