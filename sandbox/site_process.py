"""The process that is the sample site: it shows the mounted folders, and only on loopback."""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Iterable, Mapping
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from sandbox import hooks
from sandbox.editions import Shown, shown
from sandbox.pages import Page, find_page, lacks_slash, status_instead
from sandbox.places import Places
from sandbox.ports import LOOPBACK

_BACK_IN = "7200"
"""Seconds until a page is back that is out of service. A run waits less long: it does without."""


def build_server(places: Places, port: int) -> ThreadingHTTPServer:
    class Handler(_SiteHandler):
        def mounted(self) -> Mapping[str, Shown]:
            return shown(places)

        def kept(self, body: bytes) -> HTTPStatus:
            return hooks.keep(places, self.path, dict(self.headers.items()), body)

    server = ThreadingHTTPServer((LOOPBACK, port), Handler)
    server.daemon_threads = True
    return server


def main(root: str, home: str, port: str) -> None:
    places = Places.of(Path(root), Path(home))
    with build_server(places, int(port)) as server:
        places.listening.write_text(str(os.getpid()))
        server.serve_forever()


class _SiteHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "sample-site"
    disable_nagle_algorithm = True
    timeout = 30

    def mounted(self) -> Mapping[str, Shown]:
        raise NotImplementedError

    def kept(self, body: bytes) -> HTTPStatus:
        raise NotImplementedError

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        body = self._answer()
        if body:
            self.wfile.write(body)

    def do_POST(self) -> None:
        """Pages take nothing; a webhook does."""
        length = self.headers.get("Content-Length", "")
        if hooks.name_of(self.path) is None:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        elif not length.isdecimal():
            status = HTTPStatus.LENGTH_REQUIRED
        elif int(length) > hooks.MOST_BYTES:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        else:
            status = self.kept(self.rfile.read(int(length)))
        self.close_connection = True  # what was not read is not taken for the next request
        self._send(status, b"", {"Connection": "close"})

    def _answer(self) -> bytes:
        """Send the head; answer the body that belongs to it."""
        path, mounted = urlsplit(self.path).path, self.mounted()
        if path == "/":
            contents = _contents(mounted).encode()
            return self._send(HTTPStatus.OK, contents, {"Content-Type": "text/html"})
        instead = status_instead(mounted, self.path)
        page = find_page(mounted, self.path)
        if instead or page is None:
            return self._send_status(instead or HTTPStatus.NOT_FOUND)
        if lacks_slash(page, path):
            return self._send(HTTPStatus.MOVED_PERMANENTLY, b"", {"Location": f"{path}/"})
        return self._send_page(page)

    def _send_status(self, status: HTTPStatus) -> bytes:
        headers = {"Content-Type": "text/plain"}
        if status is HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = _BACK_IN
        return self._send(status, f"{status.description}.\n".encode(), headers)

    def _send_page(self, page: Page) -> bytes:
        headers = {
            "Content-Type": page.type,
            "ETag": page.etag,
            "Last-Modified": formatdate(page.modified, usegmt=True),
        }
        if page.compressed:
            headers["Content-Encoding"] = "gzip"
        if self._has_it(page):
            return self._send(HTTPStatus.NOT_MODIFIED, b"", headers)
        return self._send(HTTPStatus.OK, page.file.read_bytes(), headers)

    def _send(self, status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> bytes:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return body

    def _has_it(self, page: Page) -> bool:
        if (tags := self.headers.get("If-None-Match")) is not None:
            return page.etag in (tag.strip() for tag in tags.split(","))
        try:
            since = parsedate_to_datetime(self.headers.get("If-Modified-Since", ""))
        except ValueError:
            return False
        return page.modified <= since.timestamp()


def _contents(mounted: Iterable[str]) -> str:
    rows = "".join(
        f'<li><a href="/{html.escape(name)}/">{html.escape(name)}</a></li>\n'
        for name in sorted(mounted)
    )
    return f"<!doctype html><meta charset=utf-8><title>Sample sites</title>\n<ul>{rows}</ul>\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
