"""The command line: `python -m doublet`, and the program `doublet` that the wheel installs."""

from __future__ import annotations

import signal
import sys

from doublet import _native


def main() -> int:
    """Run the command line that this process was started with; gives its exit status."""
    # Python's handler waits for Python code to run, and none does until the end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
