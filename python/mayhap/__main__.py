"""The command ``mayhap``."""

from __future__ import annotations

import os
import signal
import sys

from . import _mayhap


def main() -> int:
    """Run the command with the words of this process."""
    # The command has handlers of its own, and else expects that of the system.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = _mayhap.command(["mayhap", *sys.argv[1:]])
    # All is written; what threads of the command still do does not matter.
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
