"""A real browser, Debian's chromium, driven over the pipe of its DevTools protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

FLAGS = (
    *("--headless", "--no-first-run", "--disable-gpu", "--hide-scrollbars"),
    *("--disable-dev-shm-usage", "--disable-background-networking"),
    "--no-sandbox",  # containers and root have none; it opens our own pages only
    "--remote-debugging-pipe",
)

_KEYS = {"Tab": 9, "Enter": 13, " ": 32}
_TYPED = {"Enter": "\r", " ": " "}
WIDER_THAN_THE_WINDOW = (
    "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
)

_ONTO_ITS_PIPE = """\
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def a_browser() -> Iterator[Browser]:
    """One tab. It ends with the block, and its profile with it."""
    to_it, from_us = os.pipe()
    to_us, from_it = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(chromium()), *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(  # noqa: S603  a fixed command
            [sys.executable, "-c", _ONTO_ITS_PIPE, str(to_it), str(from_it), *command],
            pass_fds=(to_it, from_it),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_it)
        os.close(from_it)
        try:
            with os.fdopen(from_us, "wb") as said, os.fdopen(to_us, "rb") as heard:
                browser = Browser(said, heard)
                yield browser
                browser.ask("Browser.close", tab=False)
        finally:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Browser:
    def __init__(self, said: Any, heard: Any) -> None:
        self._said, self._heard, self._ids, self._tab = said, heard, count(1), ""
        self.events: list[dict[str, Any]] = []
        made = self.ask("Target.createTarget", tab=False, url="about:blank")
        attached = self.ask(
            "Target.attachToTarget", tab=False, targetId=made["targetId"], flatten=True
        )
        self._tab = attached["sessionId"]
        for domain in ("Page", "Log", "Runtime", "DOM"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, *, tab: bool = True, **params: Any) -> dict[str, Any]:
        message = {"id": next(self._ids), "method": method, "params": params}
        if tab:
            message["sessionId"] = self._tab
        self._said.write(json.dumps(message).encode() + b"\0")
        self._said.flush()
        while (told := self._next()).get("id") != message["id"]:
            self.events.append(told)
        if "error" in told:
            raise RuntimeError(f"{method}: {told['error']}")
        result: dict[str, Any] = told["result"]
        return result

    def open(self, page: Path, *, width: int, fragment: str = "") -> None:
        """Load it in a window so wide; a narrow one is a phone's."""
        self.visit(page.resolve().as_uri() + fragment, width=width)

    def visit(self, url: str, *, width: int) -> None:
        phone = width < 600
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=844 if phone else 800,
            deviceScaleFactor=1,
            mobile=phone,
        )
        self.ask("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.ask("Page.navigate", url="about:blank")
        self.await_load()
        self.ask("Page.navigate", url=url)
        self.await_load()

    def value(self, script: str) -> Any:
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in told:
            raise RuntimeError(str(told["exceptionDetails"]))
        return told["result"].get("value")

    def point(self, x: float, y: float) -> None:
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def tap(self, x: float, y: float) -> None:
        self.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str) -> None:
        text: dict[str, Any] = {"text": _TYPED[key]} if key in _TYPED else {}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=_KEYS[key],
                **text,
            )

    def type(self, text: str) -> None:
        """Into whatever has the focus, letter by letter."""
        for letter in text:
            self.ask("Input.dispatchKeyEvent", type="char", text=letter)

    def screenshot(self, to: Path, *, whole: bool = True) -> None:
        told = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        to.write_bytes(b64decode(told["data"]))

    def pdf(self, to: Path) -> None:
        told = self.ask("Page.printToPDF", preferCSSPageSize=True)
        to.write_bytes(b64decode(told["data"]))

    def complaints(self) -> list[str]:
        """What stands in the console as an error or a warning."""
        wrong = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
        return [json.dumps(e["params"]) for e in self.events if e.get("method") in wrong]

    def await_load(self) -> None:
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._next())
        self.events = [e for e in self.events if e.get("method") != "Page.loadEventFired"]

    def _next(self) -> dict[str, Any]:
        message = bytearray()
        while (byte := self._heard.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("The browser has ended")
            message += byte
        told: dict[str, Any] = json.loads(message)
        return told
