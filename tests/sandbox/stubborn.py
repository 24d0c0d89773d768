"""A process that takes no notice of SIGTERM and has a child; it writes whose."""

from __future__ import annotations

import signal
import subprocess
import sys


def main() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        sys.stdout.write(f"{child.pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
