"""The console script, also run as ``python -m s2fs``."""

import sys

try:
    import click  # noqa: F401  (it comes with the extra)
except ImportError as error:
    print(f"Error: The command line needs {error.name}: pip install 's2fs[cli]'.", file=sys.stderr)
    sys.exit(2)

from s2fs.cli import main

if __name__ == "__main__":
    main()
