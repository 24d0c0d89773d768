"""Lists of named objects in `cdk.json`: refused whole if one is wrong, with each fault of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

Faults = Callable[[int, object], Iterable[str]]
"""What is wrong with the one of that number; nothing where it is as it should be."""


def listed(name: str, told: object) -> Sequence[object]:
    if not isinstance(told, Sequence) or isinstance(told, str):
        raise TypeError(f"{name} in cdk.json is no list: write one")
    return told


def declared(name: str, told: object, faults_of: Faults) -> list[Mapping[str, Any]]:
    """The objects, none of which has a fault or the name of another."""
    found = listed(name, told)
    faults = [fault for number, one in enumerate(found) for fault in faults_of(number, one)]
    names = Counter(str(one.get("name")) for one in found if isinstance(one, Mapping))
    faults += [f"{name}: {each!r} names {many}" for each, many in names.items() if many > 1]
    if faults:
        raise ValueError("\n".join([f"The {name} in cdk.json have faults:", *faults]))
    return cast("list[Mapping[str, Any]]", list(found))
