"""`python -m console`, which `./ratchet` calls."""

from __future__ import annotations

import io
import sys

from console.app import app
from console.completing import VARIABLE, prepare


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a page's title may not fit the terminal's bytes
    prepare()
    app(prog_name="./ratchet", complete_var=VARIABLE)


if __name__ == "__main__":
    main()
