"""Why a command ends without doing what it was asked, in a sentence with what to do next.

ConsoleError
├── Refused    exit code 1: it cannot be done as things stand
└── BadInput   exit code 2: what was typed is wrong, and nothing was done
"""

from __future__ import annotations


class ConsoleError(Exception):
    """The sentence is for a person's eyes; the exit code is for a script's."""

    exit_code = 1


class Refused(ConsoleError):
    """It cannot be done as things stand."""


class BadInput(ConsoleError):
    """What was typed is wrong; nothing was done."""

    exit_code = 2
