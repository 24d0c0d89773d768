"""What every command works with: whose account, which folder, and how it waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from console import account as accounts
from console.account import Account

Find = Callable[[], Account]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """`home` is the sandbox's folder, None for the checkout's; `out` is where reports go."""

    find: Find
    home: Path | None = None
    out: Path = Path("out")
    pause: Callable[[float], None] = time.sleep


def desk(*, home: Path | None, stack: str, prefer_aws: bool) -> Desk:
    def find() -> Account:
        return accounts.find(home=home, stack=stack, prefer_aws=prefer_aws)

    return Desk(find=find, home=home)
