"""The site of the real notes, served under a project path as GitHub Pages does, and a real Chromium to read it."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import chromium
from shipped import PROJECT, SECOND, configure

PREFIX = "/some-repo/"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 800}


@dataclass
class Site:
    """A built site and the address at which it is served."""

    folder: Path
    url: str
    sent: dict[str, int] = field(default_factory=dict)
    """Bytes of each answered path, compressed as a host compresses."""

    def pages(self) -> list[str]:
        """Addresses of all pages, relative to the site."""
        found = (path.parent.relative_to(self.folder).as_posix() for path in sorted(self.folder.rglob("index.html")))
        return ["" if path == "." else f"{path}/" for path in found]


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            name = path.removeprefix(PREFIX) if path.startswith(PREFIX) else "?"
            file = site.folder / name
            file = file / "index.html" if file.is_dir() else file
            status = 200 if file.is_file() else 404
            file = file if status == 200 else site.folder / "404.html"
            body = file.read_bytes()
            packed = gzip.compress(body, mtime=0) if file.suffix not in (".woff2", ".gz") else body
            site.sent[name] = len(packed)
            self.send_response(status)
            self.send_header("Content-Type", TYPES.get(file.suffix, "application/octet-stream"))
            self.send_header("Content-Length", str(len(packed)))
            if packed is not body:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(packed)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@contextmanager
def served(folder: Path, **differs: Any) -> Iterator[Site]:
    """A site, built and served; instant navigation is on only where the configured address is the one that serves."""
    site = Site(folder / "site", "")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    site.url = f"http://127.0.0.1:{server.server_port}{PREFIX}"
    config = configure(folder, **differs, site_dir=str(site.folder), site_url=site.url)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config)]
    subprocess.run(command, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield site
    server.shutdown()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("site"), docs_dir=str(PROJECT / "docs")) as site:
        yield site


@pytest.fixture(scope="session")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The second course."""
    with served(tmp_path_factory.mktemp("bakery"), **SECOND) as site:
        yield site


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.find()
    assert path, "no Chromium: run make test, or set CHROMIUM"
    quiet = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        yield browser
        browser.close()


@dataclass
class Reader:
    """Somebody with a browser: opens pages and notes what went wrong."""

    site: Site
    context: BrowserContext
    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> Page:
        self.page.goto(self.site.url + path)
        self.page.wait_for_function("!document.querySelector(':not(:defined)')")
        return self.page


def new_reader(site: Site, browser: Browser, **options: object) -> Reader:
    context = browser.new_context(**{"viewport": LAPTOP, "locale": "zh-CN", **options})  # type: ignore[arg-type]
    context.set_default_timeout(10_000)
    reader = Reader(site, context, context.new_page())
    reader.page.on("pageerror", lambda error: reader.errors.append(str(error)))
    reader.page.on("request", lambda request: reader.requests.append(request.url))
    return reader


@pytest.fixture
def reader(site: Site, browser: Browser) -> Iterator[Reader]:
    """On a laptop; no script may fail while it reads."""
    reader = new_reader(site, browser)
    yield reader
    reader.context.close()
    assert reader.errors == []


@pytest.fixture
def phone(site: Site, browser: Browser) -> Iterator[Reader]:
    reader = new_reader(site, browser, viewport=PHONE, has_touch=True, is_mobile=True)
    yield reader
    reader.context.close()
    assert reader.errors == []
