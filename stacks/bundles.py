"""What the functions' zips hold, built at synth by pip for where they will run, without Docker.

A bundle is our package `lambdas` and the packages of one requirements file. Its name carries a
hash of what goes in, never of what comes out: the same sources give the same template anywhere.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final

from aws_cdk import aws_lambda as lambda_

_PROJECT: Final = Path(__file__).resolve().parent.parent
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_RECIPE: Final = 1  # raise it when the same inputs begin to give another bundle
_SLOW: Final = (
    "No working python{python} is on the PATH, so the bundles go without bytecode and cold starts"
    " take about four times as long: install CPython {python} (apt, brew and uv have it; with"
    " pyenv also name it in `pyenv global`) and synthesize again.\n"
)
_LEFT_OUT: Final = (
    "bin",  # command lines; their first line names the Python of this machine
    "*.dist-info/RECORD",  # lists them, with hashes that differ between machines
    "babel/locale-data/*.dat",  # 33 MB, asked only when a crawler guesses languages from URLs
    "zstandard/_cffi.*.so",  # its other half does the same in CPython; this one serves PyPy
)


class Bundle(StrEnum):
    """One for each requirements file. None holds boto3: Lambda's runtime ships it."""

    CORE = "core"
    EDGES = "edges"
    HOOKS = "hooks"
    LISTS = "lists"
    READERS = "readers"
    WEB = "web"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a bundle runs. Without platforms, pip takes the wheels of this very interpreter."""

    python: str
    architecture: str
    platforms: tuple[str, ...] = ()


AWS: Final = Target(
    python="3.13",
    architecture="aarch64",
    platforms=("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_28_aarch64"),
)
HERE: Final = Target(
    python=f"{sys.version_info.major}.{sys.version_info.minor}",
    architecture=platform.machine(),
)


class BundleNotBuilt(Exception):
    """pip or the compiler refused; the sentence says what for, and ends in their last lines."""


def code(
    which: Bundle, target: Target, *, extra: Mapping[str, str] = _NOTHING
) -> lambda_.AssetCode:
    """A bundle of this project in CDK's terms. The template names its hash, and no path."""
    folder = bundle(which, target, root=_PROJECT, cache=_PROJECT / ".build/bundles", extra=extra)
    return lambda_.Code.from_asset(str(folder), asset_hash=folder.name)


def bundle(
    which: Bundle,
    target: Target,
    *,
    root: Path,
    cache: Path,
    extra: Mapping[str, str] = _NOTHING,
) -> Path:
    """The folder to zip, built unless the same inputs were built before.

    `extra` names executable files beside our package and gives their text.
    """
    python = _compiler(target.python, tuple(os.get_exec_path()))
    pins = root / "lambdas/requirements" / f"{which}.txt"
    ours = _ours(root)  # read once, so that what is hashed is what is written
    hashed = [_RECIPE, _LEFT_OUT, asdict(target), python is not None, pins.read_text()]

    def fill(folder: Path) -> None:
        install = functools.partial(_install, pins=pins, target=target, python=python)
        packages = _whole(cache / f"packages-{_hash(hashed)}", install)
        shutil.copytree(packages, folder, copy_function=_link, dirs_exist_ok=True)
        _write(folder, ours)
        _compile(folder, "lambdas", python)
        _write(folder, {name: text.encode() for name, text in extra.items()}, mode=0o755)

    digests = {name: sha256(content).hexdigest() for name, content in ours.items()}
    return _whole(cache / f"{which}-{_hash([*hashed, digests, dict(extra)])}", fill)


def unzipped_size(folder: Path) -> int:
    """The bytes that Lambda counts; it takes 250 MB of them."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _whole(finished: Path, fill: Callable[[Path], None]) -> Path:
    """A folder that has its name only when it is complete.

    A build killed before the rename leaves a draft that nobody looks at. Of two builders at once
    the second finds the name taken by the same content, and drops its own.
    """
    if not finished.is_dir():
        finished.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=finished.parent, prefix=".draft-") as scratch:
            draft = Path(scratch, "draft")
            draft.mkdir()
            fill(draft)
            _open_to_all(draft)
            try:
                draft.rename(finished)
            except OSError:
                if not finished.is_dir():
                    raise
    return finished


def _ours(root: Path) -> dict[str, bytes]:
    """All of `lambdas` that ships: an unknown kind of file does, a forgotten one would be worse."""
    found = (path for path in (root / "lambdas").rglob("*") if path.is_file())
    names = {path.relative_to(root): path for path in found}
    return {name.as_posix(): path.read_bytes() for name, path in names.items() if _ships(name)}


def _ships(name: PurePath) -> bool:
    stray = any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    return not stray and name.parts[1] != "requirements"


def _hash(inputs: object) -> str:
    return sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def _install(folder: Path, *, pins: Path, target: Target, python: str | None) -> None:
    wheels = ["--only-binary=:all:", "--no-deps", "--no-compile", "--target", str(folder)]
    if target.platforms:
        wheels += ["--implementation", "cp", "--python-version", target.python]
        wheels += [f"--platform={name}" for name in target.platforms]
    quiet = ["--disable-pip-version-check", "--quiet", "--no-input"]
    _run(
        [sys.executable, "-m", "pip", "install", *quiet, *wheels, "--requirement", str(pins)],
        f"pip could not install what {pins} names for CPython {target.python} on"
        f" {target.architecture}; correct that file or make the package index reachable",
    )
    _leave_out(folder)
    _compile(folder, ".", python)


def _leave_out(folder: Path) -> None:
    for path in [path for pattern in _LEFT_OUT for path in folder.glob(pattern)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _compile(folder: Path, part: str, python: str | None) -> None:
    """Bytecode that knows no path of this machine and is never checked against its source."""
    if python is None:
        return
    how = ["-q", "--invalidation-mode", "unchecked-hash", "-s", str(folder)]
    _run(
        [python, "-m", "compileall", *how, str(folder / part)],
        f"{python} could not compile every module; correct the file it names",
    )


def _run(command: list[str], otherwise: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 ours
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise BundleNotBuilt(f"A bundle was not built: {otherwise}. Its last lines:\n{last}")


def _write(folder: Path, files: Mapping[str, bytes], mode: int = 0o644) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)


def _link(source: str, target: str) -> None:
    """A hard link costs no space; not every file system has them."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _open_to_all(folder: Path) -> None:
    """Lambda runs the zip as another user, who must be able to read it, whatever our umask."""
    for path in (folder, *folder.rglob("*")):
        mode = path.stat().st_mode
        path.chmod(mode | (0o555 if path.is_dir() or mode & 0o100 else 0o444))


@functools.cache
def _compiler(python: str, folders: tuple[str, ...]) -> str | None:
    """An interpreter of that very version, for bytecode belongs to one; or a word that none is."""
    if python == HERE.python:
        return sys.executable
    for folder in folders:
        found = shutil.which(f"python{python}", path=folder)
        if found and _speaks(found, python):
            return found
    sys.stderr.write(_SLOW.format(python=python))
    return None


def _speaks(interpreter: str, python: str) -> bool:
    """A shim on the PATH may exist for a version that is not installed behind it."""
    question = "import sys; print(sys.implementation.cache_tag)"
    try:
        command = [interpreter, "-c", question]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 found
    except OSError:
        return False
    return answer.stdout.strip() == f"cpython-{python.replace('.', '')}"
