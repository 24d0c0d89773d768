"""What ships in the zips, and when their names change. Small projects stand in for ours where the
question is about files and hashes; the real bundles come from pip once and stay in the cache.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest
from aws_cdk import App, Stack
from aws_cdk import aws_lambda as lambda_
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from stacks.bundles import AWS, HERE, Bundle, BundleNotBuilt, Target, bundle, code, unzipped_size
from tests.adapters.pdfs import drawn, lines, pdf

PROJECT = Path(__file__).resolve().parents[2]
BUDGET = 80_000_000  # of the 250 MB that Lambda takes
ELF_AARCH64 = 183

Build = Callable[..., Path]
every_bundle = pytest.mark.parametrize("which", Bundle)
every_target = pytest.mark.parametrize("target", [AWS, HERE], ids=["aws", "here"])


# The real bundles


@every_target
@every_bundle
def test_a_bundle_stays_far_below_lambdas_limit(
    which: Bundle, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    size = unzipped_size(_real(which, target))

    with capsys.disabled():
        sys.stdout.write(f" {which} for {target.architecture}: {size / 1e6:.1f} MB ")
    assert size < BUDGET


@every_bundle
def test_compiled_libraries_are_made_for_lambdas_processor_and_python(which: Bundle) -> None:
    libraries = list(_real(which, AWS).rglob("*.so"))

    assert {_elf_machine(path) for path in libraries} <= {ELF_AARCH64}
    endings = {path.suffixes[-2] for path in libraries}
    assert endings <= {".cpython-313-aarch64-linux-gnu", ".abi3"}
    assert bool(libraries) is (which not in {Bundle.CORE, Bundle.HOOKS})


@every_target
@every_bundle
def test_what_the_runtime_ships_is_in_no_bundle(which: Bundle, target: Target) -> None:
    folder = _real(which, target)

    assert not {"boto3", "botocore", "s3transfer"} & {path.name for path in folder.iterdir()}


@every_target
@every_bundle
def test_every_module_has_bytecode_where_the_targets_python_can_be_had(
    which: Bundle, target: Target
) -> None:
    folder = _real(which, target)
    ending = f".cpython-{target.python.replace('.', '')}.pyc"

    compiled = {path.parent.parent / path.name for path in folder.rglob("*.pyc")}

    modules = {path.with_suffix(ending) for path in folder.rglob("*.py")}
    assert compiled == (modules if target is HERE or _runs(f"python{target.python}") else set())


@every_target
@every_bundle
def test_bytecode_is_not_checked_against_sources_and_names_no_folder(
    which: Bundle, target: Target
) -> None:
    for path in _real(which, target).rglob("*.pyc"):
        content = path.read_bytes()
        assert content[4:8] == b"\x01\x00\x00\x00"  # PEP 552: by hash, unchecked
        assert os.fsencode(PROJECT) not in content


@every_target
@every_bundle
def test_the_requirements_file_names_the_whole_tree(which: Bundle, target: Target) -> None:
    found = metadata.distributions(path=[str(_real(which, target))])
    requires = {str(canonicalize_name(each.name)): each.requires or [] for each in found}

    assert requires.keys() == _pins(which).keys()
    assert _needs(requires, target) <= requires.keys()


@every_bundle
def test_a_bundle_works_with_nothing_else_installed(which: Bundle) -> None:
    alone = f"import sys; sys.path.insert(0, {str(_real(which, HERE))!r}){_USES[which]}"

    command = [sys.executable, "-I", "-S", "-B", "-c", alone]
    assert "can be read" in subprocess.check_output(command, text=True)  # noqa: S603 ours


def test_a_pdf_is_read_in_a_process_that_finds_the_bundle_as_its_parent_did() -> None:
    program = f"""
import sys
sys.path.insert(0, {str(_real(Bundle.READERS, HERE))!r})
from lambdas.adapters.pdf_reader import PdfReader
from lambdas.agent.pages import Page
body = sys.stdin.buffer.read()
page = Page(url="https://any.example/", status=200, content_type="", body=body)
print(PdfReader().read(page).text)
"""
    said = "A text layer of some fifteen words or twenty that can be read by whoever has a parser."
    command = [sys.executable, "-I", "-S", "-B", "-c", program]
    document = pdf(drawn(lines(said)))

    told = subprocess.run(command, input=document, capture_output=True, cwd="/", check=True)  # noqa: S603 ours
    assert told.stdout.decode().strip() == said


@every_bundle
def test_the_tests_run_with_what_ships(which: Bundle) -> None:
    for name, version in _pins(which).items():
        assert metadata.version(name) == str(version), name


@every_bundle
def test_what_shadows_the_runtimes_packages_suits_its_botocore(which: Bundle) -> None:
    pins = _pins(which)
    for requirement in map(Requirement, metadata.requires("botocore") or []):
        if requirement.marker is None and requirement.name in pins:
            assert pins[canonicalize_name(requirement.name)] in requirement.specifier


def test_all_bundles_carry_the_same_version_of_a_package() -> None:
    versions = [pin for which in Bundle for pin in _pins(which).items()]

    assert len(set(versions)) == len({name for name, _ in versions})


def test_the_template_names_the_bundles_hash_and_no_place_on_this_machine() -> None:
    app = App(context={"aws:cdk:enable-asset-metadata": True})
    stack = Stack(app, "AnyStack")
    lambda_.Function(
        stack,
        "AnyFunction",
        code=code(Bundle.CORE, AWS),
        handler="any.handler",
        runtime=lambda_.Runtime.PYTHON_3_13,
        architecture=lambda_.Architecture.ARM_64,
    )

    template = json.dumps(app.synth().get_stack_by_name("AnyStack").template)

    assert '"aws:asset:path": "asset.' in template
    assert str(PROJECT) not in template
    assert str(Path.home()) not in template


# Names


def test_the_same_sources_have_the_same_name_anywhere(
    build: Build, project: Path, tmp_path: Path
) -> None:
    before = build(Bundle.CORE).name
    copy = shutil.copytree(project, tmp_path / "elsewhere")

    for leftover in (
        "lambdas/__pycache__/wiring.cpython-313.pyc",
        "lambdas/steps/.mypy_cache/any.json",
        "lambdas/.DS_Store",
        "lambdas/requirements/any-notes.md",
        "tests/test_any.py",
        "stacks/any.py",
    ):
        _put(copy / leftover)
    os.utime(copy / "lambdas/wiring.py", (1, 1))

    assert build(Bundle.CORE, root=copy, cache=tmp_path / "other-cache").name == before


@pytest.mark.parametrize(
    "path",
    [
        "lambdas/wiring.py",
        "lambdas/adapters/templates/report.html",
        "lambdas/steps/prompts/any_new_kind.of_file",
    ],
)
def test_an_edited_file_changes_every_bundle(build: Build, project: Path, path: str) -> None:
    before = {build(which).name for which in Bundle}

    _put(project / path, "edited")

    assert not before & {build(which).name for which in Bundle}


def test_a_moved_file_changes_the_bundle(build: Build, project: Path) -> None:
    before = build(Bundle.CORE).name

    (project / "lambdas/wiring.py").rename(project / "lambdas/entry.py")

    assert build(Bundle.CORE).name != before


def test_a_requirement_changes_only_the_bundle_that_holds_it(build: Build, project: Path) -> None:
    before = {which: build(which).name for which in Bundle}

    _require(project, Bundle.EDGES, "llama==1.0")

    after = {which: build(which).name for which in Bundle}
    assert [which for which in Bundle if before[which] != after[which]] == [Bundle.EDGES]


@pytest.mark.parametrize(
    "other",
    [
        replace(HERE, architecture="any-other"),
        replace(HERE, platforms=("manylinux_2_28_aarch64",)),
        replace(HERE, python="3.99"),
    ],
)
@pytest.mark.usefixtures("python_399")
def test_another_target_changes_the_bundle(build: Build, other: Target) -> None:
    assert build(Bundle.CORE, target=other).name != build(Bundle.CORE).name


def test_an_extra_file_changes_the_bundle(build: Build) -> None:
    names = {build(Bundle.CORE, extra=extra).name for extra in ({}, {"a": "1"}, {"a": "2"})}

    assert len(names) == 3


def test_bytecode_changes_the_bundle(
    build: Build, python_399: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bytecode = build(Bundle.CORE, target=replace(AWS, python="3.99")).name

    monkeypatch.setenv("PATH", str(python_399.parent))

    assert build(Bundle.CORE, target=replace(AWS, python="3.99")).name != with_bytecode


# Contents


def test_a_bundle_holds_our_package_the_required_ones_and_the_extra_files(build: Build) -> None:
    folder = build(Bundle.CORE, extra={"bootstrap": "any"})

    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    assert {path.as_posix() for path in files if ".dist-info" not in path.parts[0]} == {
        "bootstrap",
        "lambdas/wiring.py",
        f"lambdas/__pycache__/wiring.{sys.implementation.cache_tag}.pyc",
        "lambdas/adapters/templates/report.html",
        "alpaca.py",
        f"__pycache__/alpaca.{sys.implementation.cache_tag}.pyc",
    }


def test_nothing_in_a_bundle_names_the_python_or_the_folder_that_built_it(
    build: Build, project: Path, tmp_path: Path
) -> None:
    folder = build(Bundle.CORE, cache=tmp_path / "new")

    contents = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    for place in (sys.executable, sys.prefix, str(project), str(tmp_path)):
        assert not [content for content in contents if place.encode() in content]


def test_an_extra_file_can_be_executed(build: Build) -> None:
    bootstrap = build(Bundle.CORE, extra={"bootstrap": "#!/bin/sh\necho started"}) / "bootstrap"

    assert subprocess.check_output([bootstrap], text=True) == "started\n"  # noqa: S603 written above


@pytest.mark.usefixtures("narrow_umask")
def test_everybody_may_read_a_bundle_whatever_the_umask(build: Build, tmp_path: Path) -> None:
    folder = build(Bundle.CORE, cache=tmp_path / "new", extra={"bootstrap": "any"})

    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o755}
    assert {mode & 0o444 for mode in modes.values()} == {0o444}


def test_an_edit_of_our_code_needs_no_package_index(
    build: Build, project: Path, fake_pip: Callable[..., None]
) -> None:
    build(Bundle.CORE)
    fake_pip("sys.exit('pip was called')")

    (project / "lambdas/wiring.py").write_text("edited = True")

    folder = build(Bundle.CORE)
    assert (folder / "lambdas/wiring.py").read_text() == "edited = True"
    assert (folder / "alpaca.py").exists()


def test_without_the_targets_python_a_bundle_has_no_bytecode_and_one_sentence_says_so(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    target = replace(AWS, python="3.98")

    folders = [build(which, target=target) for which in Bundle]

    assert [path for folder in folders for path in folder.rglob("*.pyc")] == []
    assert capsys.readouterr().err.count("No working python3.98 is on the PATH") == 1


def test_bytecode_comes_from_the_first_python_on_the_path_that_runs(
    build: Build, python_399: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = build(Bundle.CORE, target=replace(AWS, python="3.99"), cache=tmp_path / "new")

    assert {path.name.split(".")[0] for path in folder.rglob("*.pyc")} == {"alpaca", "wiring"}
    assert python_399.read_text().count("compileall") == 2
    assert capsys.readouterr().err == ""


# Failures


def test_a_package_that_cannot_be_had_fails_with_pips_words_and_leaves_nothing(
    build: Build, project: Path, tmp_path: Path
) -> None:
    _require(project, Bundle.EDGES, "yeti==9.9")

    with pytest.raises(BundleNotBuilt, match=r"edges\.txt(.|\n)*No matching distribution .*yeti"):
        build(Bundle.EDGES, cache=tmp_path / "new")

    assert list((tmp_path / "new").iterdir()) == []


def test_code_that_does_not_compile_fails_the_build(build: Build, project: Path) -> None:
    (project / "lambdas/wiring.py").write_text("def (")

    with pytest.raises(BundleNotBuilt, match=r"compile(.|\n)*wiring\.py"):
        build(Bundle.CORE)


def test_what_a_killed_build_left_is_never_used(
    build: Build, project: Path, tmp_path: Path, fake_pip: Callable[..., None]
) -> None:
    cache = tmp_path / "new"
    with pytest.MonkeyPatch.context() as dying:
        fake_pip("os.kill(os.getppid(), signal.SIGKILL)", dying)
        assert _build_in_another_process(project, cache) == -signal.SIGKILL

    assert list(cache.rglob("half.py"))
    folder = build(Bundle.CORE, cache=cache)
    assert (folder / "alpaca.py").exists()
    assert not (folder / "half.py").exists()


def test_two_builds_at_once_give_one_whole_bundle(
    build: Build, tmp_path: Path, fake_pip: Callable[..., None]
) -> None:
    fake_pip(_WAIT_FOR_THE_OTHER.format(meeting=str(tmp_path)))

    with ThreadPoolExecutor(2) as builders:
        cache = tmp_path / "new"
        folders = set(builders.map(lambda _: build(Bundle.CORE, cache=cache), range(2)))

    assert len(list(tmp_path.glob("met-*"))) == 2
    assert len(folders) == 1
    assert len(list(cache.iterdir())) == 2


_USES = {
    Bundle.CORE: """
from aws_lambda_powertools import Logger
Logger().info("can be read")
""",
    Bundle.HOOKS: """
from lambdas.adapters.webhook_signing import signed
print(signed(b"{}", "whsec_" + "A" * 44, id_="any", at=1), "can be read")
""",
    Bundle.EDGES: """
import jinja2, pydantic
what = pydantic.TypeAdapter(str).validate_json('"can be read"')
print(jinja2.Template("{{ what }}").render(what=what))
""",
    Bundle.LISTS: """
from lambdas.adapters.feed_reader import FeedReader
import brotli, zstandard
from lambdas.adapters.protego_robots import ProtegoRobots
from lambdas.adapters.request_schema import PydanticRequests
from lambdas.adapters.sitemap_reader import SitemapReader
from lambdas.agent.pages import Page
item = b"<item><title>can be read &rsquo;</title><link>/a</link></item>"
body = b"<rss><channel>" + item + b"</channel></rss>"
page = Page(url="https://any.example/", status=200, content_type="", body=body)
assert SitemapReader().listing(page) == FeedReader().listing(page)
print(FeedReader().listing(page), "can be read")
""",
    Bundle.WEB: """
import brotli, protego, zstandard
packed = zstandard.compress(brotli.compress(b"can be read"))
print(brotli.decompress(zstandard.decompress(packed)).decode())
assert not protego.Protego.parse("User-agent: *\\nDisallow: /").can_fetch("/any", "any")
""",
    Bundle.READERS: """
import feedparser, trafilatura
text = "<p>" + "Some words that can be read. " * 20 + "</p>"
page = f"<html lang=en><body><article><h1>Any title</h1>{text}</article></body></html>"
print(trafilatura.extract(
    page, url="https://any.example/en/page", target_language="en", with_metadata=True
))
from io import BytesIO
from pypdf import PdfReader, PdfWriter
writer, out = PdfWriter(), BytesIO()
writer.add_blank_page(9, 9)
writer.encrypt("", owner_password="any", algorithm="AES-256")
writer.write(out)
assert PdfReader(out).decrypt("")
""",
}

_HALF_OF_PIP = """
import os, pathlib, signal, sys, time
target = pathlib.Path(sys.argv[sys.argv.index("--target") + 1])
(target / "half.py").write_text("")
"""

_WAIT_FOR_THE_OTHER = """
meeting = pathlib.Path({meeting!r})
(meeting / f"met-{{os.getpid()}}").touch()
for _ in range(1000):
    if len(list(meeting.glob("met-*"))) == 2:
        sys.exit()
    time.sleep(0.02)
sys.exit("the other build did not come")
"""


@pytest.fixture
def fake_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """In place of pip, a module that writes one file and then does as told."""

    def install(then: str, patch: pytest.MonkeyPatch = monkeypatch) -> None:
        (tmp_path / "fake").mkdir()
        (tmp_path / "fake/pip.py").write_text(_HALF_OF_PIP + then)
        patch.setenv("PYTHONPATH", str(tmp_path / "fake"))

    return install


@pytest.fixture
def python_399(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """On the PATH a shim that fails, then a Python "3.99"; answers with the log of its calls."""
    log = tmp_path / "calls"
    log.touch()
    answer = f'[ "$1" = -c ] && echo cpython-399 || exec {sys.executable} "$@"'
    scripts = {"shims": "exit 127", "real": f'echo "$@" >> {log}; {answer}'}
    for folder, script in scripts.items():
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "python3.99"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / folder) for folder in scripts))
    return log


@pytest.fixture
def narrow_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.fixture
def project(tmp_path: Path, wheels: Path) -> Path:
    root = tmp_path / "project"
    _put(root / "lambdas/wiring.py", "any = 1")
    _put(root / "lambdas/adapters/templates/report.html", "<p>any</p>")
    for which in Bundle:
        _put(
            root / f"lambdas/requirements/{which}.txt",
            f"--no-index --find-links {wheels}\nalpaca==1.0\n",
        )
    return root


@pytest.fixture
def build(project: Path, shared_cache: Path) -> Build:
    def build(
        which: Bundle,
        *,
        target: Target = HERE,
        root: Path = project,
        cache: Path = shared_cache,
        extra: Mapping[str, str] | None = None,
    ) -> Path:
        return bundle(which, target, root=root, cache=cache, extra=extra or {})

    return build


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package index of two packages; each has a command line, as many real ones do."""
    folder = tmp_path_factory.mktemp("wheels")
    for name in ("alpaca", "llama"):
        info = f"{name}-1.0.dist-info"
        files = {
            f"{name}.py": "any = 1",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:any\n",
        }
        with ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            for path, text in files.items():
                wheel.writestr(path, text)
            wheel.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))
    return folder


@functools.cache
def _real(which: Bundle, target: Target) -> Path:
    return bundle(which, target, root=PROJECT, cache=PROJECT / ".build/bundles")


def _pins(which: Bundle) -> dict[str, Version]:
    lines = (PROJECT / f"lambdas/requirements/{which}.txt").read_text().splitlines()
    pins = [line.partition("#")[0].strip().split("==") for line in lines]
    return {canonicalize_name(pin[0]): Version(pin[1]) for pin in pins if pin != [""]}


def _needs(requires: Mapping[str, list[str]], target: Target) -> set[str]:
    """The names that packages ask for, and their extras do, where the target runs."""
    place = {"python_version": target.python}  # the rest is as it is here
    asked, answered = {(name, "") for name in requires}, set[tuple[str, str]]()
    while asked - answered:
        name, extra = (asked - answered).pop()
        answered.add((name, extra))
        for each in map(Requirement, requires.get(name, [])):
            if each.marker is None or each.marker.evaluate(place | {"extra": extra}):
                asked |= {(canonicalize_name(each.name), extra) for extra in ("", *each.extras)}
    return {name for name, _ in asked}


def _elf_machine(library: Path) -> int:
    return int.from_bytes(library.read_bytes()[18:20], "little")


def _runs(python: str) -> bool:
    found = shutil.which(python)
    return found is not None and _succeeds(found, "-V")


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 ours


def _build_in_another_process(root: Path, cache: Path) -> int:
    script = (
        f"import sys; sys.path.insert(0, {str(PROJECT)!r})\n"
        "from pathlib import Path; from stacks.bundles import HERE, Bundle, bundle\n"
        f"bundle(Bundle.CORE, HERE, root=Path({str(root)!r}), cache=Path({str(cache)!r}))"
    )
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603 ours


def _require(project: Path, which: Bundle, pin: str) -> None:
    with (project / f"lambdas/requirements/{which}.txt").open("a") as pins:
        pins.write(f"{pin}\n")


def _put(path: Path, text: str = "any") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
