from __future__ import annotations

import gzip
import http.client
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.request import urlopen

import pytest

from sandbox import site as site_of
from sandbox.editions import show
from sandbox.mounts import mount
from sandbox.places import Places
from sandbox.site_process import build_server

NEWS = "<p>Ünsere Preise".encode("latin-1")
NEXT = NEWS.swapcase()
SECRET = b"not for the web"


class Site:
    def __init__(self, port: int) -> None:
        self._port = port

    def get(
        self, target: str, headers: Mapping[str, str] | None = None, *, method: str = "GET"
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()


@pytest.fixture
def folder(places: Places) -> Path:
    folder = places.root / "examples/acme/site"
    (folder / "blog").mkdir(parents=True)
    (folder / "news.html").write_bytes(NEWS)
    (folder / "packed.html.gz").write_bytes(gzip.compress(NEWS, mtime=0))
    (folder / "blog/index.html").write_bytes(b"<p>Blog")
    (folder / "blog/feed.xml").write_bytes(b"<rss/>")
    (folder / "sitemap.xml.gz").write_bytes(gzip.compress(b"<urlset/>", mtime=0))
    (folder / ".env").write_bytes(SECRET)
    (folder.parent / "request.json").write_bytes(SECRET)
    (folder / "way-out.html").symlink_to(folder.parent / "request.json")
    (folder.parent / "site-2").mkdir()
    (folder.parent / "site-2/page.html").write_bytes(SECRET)
    second = folder.parent / "edition-2"
    (second / "site/blog").mkdir(parents=True)
    (second / "site/news.html").write_bytes(NEXT)
    (second / "site/blog/later.html").write_bytes(NEXT)
    (second / "statuses.json").write_text('{"packed.html": 404, "blog/feed.xml": 503}')
    for each in (folder / "news.html", second / "site/news.html"):
        os.utime(each, (1_700_000_000, 1_700_000_000))
    return folder


@pytest.fixture
def site(places: Places, folder: Path) -> Iterator[Site]:
    assert folder.is_dir()
    with build_server(places, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield Site(server.server_port)
        server.shutdown()
        thread.join()


def test_a_page_is_sent_as_it_lies_there(site: Site) -> None:
    status, body, headers = site.get("/acme/news.html?utm=any#part")

    assert (status, body) == (200, NEWS)
    assert headers["Content-Type"] == "text/html"  # the page itself says in which charset


@pytest.mark.parametrize("target", ["/acme/packed.html", "/acme/packed.html.gz"])
def test_a_compressed_page_is_sent_as_a_compressed_page(site: Site, target: str) -> None:
    status, body, headers = site.get(target)

    assert (status, gzip.decompress(body)) == (200, NEWS)
    assert headers["Content-Type"] == "text/html"
    assert headers["Content-Encoding"] == "gzip"


def test_another_compressed_file_stays_a_compressed_file(site: Site) -> None:
    status, body, headers = site.get("/acme/sitemap.xml.gz")

    assert (status, gzip.decompress(body)) == (200, b"<urlset/>")
    assert headers["Content-Type"] == "application/gzip"
    assert headers["Content-Encoding"] is None


def test_a_feed_is_xml(site: Site) -> None:
    assert site.get("/acme/blog/feed.xml")[2]["Content-Type"] == "application/xml"


def test_a_folder_shows_its_index(site: Site) -> None:
    assert site.get("/acme/blog/")[:2] == (200, b"<p>Blog")


def test_a_folder_without_its_slash_is_sent_there(site: Site) -> None:
    status, _, headers = site.get("/acme/blog")

    assert (status, headers["Location"]) == (301, "/acme/blog/")


@pytest.mark.parametrize(
    "target",
    [
        "/acme/../request.json",
        "/acme/%2e%2e/request.json",
        "/acme/blog/..%2f..%2frequest.json",
        "/acme/..%5crequest.json",
        "/acme/../site-2/page.html",
        "/acme//etc/passwd",
        "/acme/%2fetc/passwd",
        "/acme/way-out.html",
        "/acme/.env",
        "/acme/news.html%00.txt",
        "/%2e%2e/acme/request.json",
        "/../../etc/passwd",
        "//etc/passwd",
    ],
)
def test_nothing_outside_a_mounted_folder_is_sent(site: Site, target: str) -> None:
    status, body, _ = site.get(target)

    assert (status, SECRET in body) == (404, False)


@pytest.mark.parametrize("target", ["/acme/dead-link.html", "/acme/", "/nobody/", "/acme/blog/x/"])
def test_a_dead_link_is_not_found(site: Site, target: str) -> None:
    assert site.get(target)[0] == 404


def test_the_front_page_names_the_mounts(site: Site) -> None:
    assert b'<a href="/acme/">acme</a>' in site.get("/")[1]


def test_an_unchanged_page_is_not_sent_again(site: Site) -> None:
    _, _, first = site.get("/acme/news.html")

    by_tag = site.get("/acme/news.html", {"If-None-Match": f'"other", {first["ETag"]}'})
    by_date = site.get("/acme/news.html", {"If-Modified-Since": first["Last-Modified"]})

    assert by_tag[:2] == by_date[:2] == (304, b"")


@pytest.mark.parametrize(
    "headers",
    [
        {"If-None-Match": '"other"'},
        {"If-Modified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"},
        {"If-Modified-Since": "yesterday"},
    ],
)
def test_a_changed_page_is_sent_again(site: Site, headers: Mapping[str, str]) -> None:
    assert site.get("/acme/news.html", headers)[:2] == (200, NEWS)


def test_a_head_request_gets_the_head_only(site: Site) -> None:
    status, body, headers = site.get("/acme/news.html", method="HEAD")

    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) == len(NEWS)


def test_a_folder_mounted_meanwhile_is_shown(site: Site, places: Places, tmp_path: Path) -> None:
    (tmp_path / "later.html").write_bytes(b"later")
    assert site.get("/more/later.html")[0] == 404

    mount(places, tmp_path, name="more")

    assert site.get("/more/later.html")[:2] == (200, b"later")


def test_a_later_edition_has_the_same_addresses(site: Site, places: Places) -> None:
    assert site.get("/acme/news.html")[1] == NEWS
    assert site.get("/acme/blog/later.html")[0] == 404

    show(places, 2)

    assert site.get("/acme/news.html")[:2] == (200, NEXT)
    assert site.get("/acme/blog/later.html")[:2] == (200, NEXT)
    assert site.get("/acme/blog/")[:2] == (200, b"<p>Blog")


def test_a_page_that_is_changed_is_sent_though_its_file_is_of_one_time_and_size(
    site: Site, places: Places
) -> None:
    """As in a checkout, whose files are all of one second."""
    known = {"If-None-Match": str(site.get("/acme/news.html")[2]["ETag"])}

    show(places, 2)

    assert site.get("/acme/news.html", known)[:2] == (200, NEXT)


def test_a_page_that_is_the_same_in_both_editions_is_not_sent_again(
    site: Site, places: Places
) -> None:
    known = {"If-None-Match": str(site.get("/acme/blog/index.html")[2]["ETag"])}

    show(places, 2)

    assert site.get("/acme/blog/index.html", known)[0] == 304


def test_a_page_that_an_edition_has_no_more_is_not_found(site: Site, places: Places) -> None:
    show(places, 2)

    assert site.get("/acme/packed.html")[0] == 404


def test_a_page_that_is_out_of_service_says_for_how_long(site: Site, places: Places) -> None:
    show(places, 2)

    status, body, headers = site.get("/acme/blog/feed.xml")
    assert (status, headers["Retry-After"]) == (503, "7200")
    assert b"<rss" not in body


def test_whoever_answers_at_a_port_that_another_was_quicker_at_is_not_taken_for_our_site(
    places: Places,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as theirs:
        port = theirs.getsockname()[1]

        assert not site_of.comes_up(places, port)
        assert site_of.address(places) is None


def test_a_site_is_up_once_its_own_process_has_the_port(places: Places) -> None:
    address = site_of.start(places)
    try:
        assert site_of.address(places) == address
        assert urlopen(address).status == 200  # noqa: S310  loopback
    finally:
        site_of.stop(places)
