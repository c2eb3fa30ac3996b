"""The page in a real browser, on a real service.

`DOUBLET` names the program (else `target/debug/doublet` of the repository), `CHROMIUM` the browser (else `/usr/bin/chromium`). Nothing is
downloaded, and no network but the loopback is used.
"""

import json
import os
import re
import subprocess
import threading
import urllib.request
from pathlib import Path

import pytest
import samples
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
READ, WRITE = "read-token-of-the-tests", "write-token-of-the-tests"
# Errors that a program puts on the console of the browser are mistakes; refused requests are what some tests are about.
REQUEST_FAILED = "Failed to load resource"

# Seconds: more than any step takes on a slow core that does other work too.
LIMIT = 120

expect.set_options(timeout=1000 * LIMIT)


class Service:
    """A running `doublet serve`."""

    def __init__(self, directory, *options):
        program = os.environ.get("DOUBLET", str(ROOT / "target" / "debug" / "doublet"))
        command = [program, "serve", "--index", str(directory / "index"), "--create", "--listen", "127.0.0.1:0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.url = self._address()
        # Whoever does not read what the service says would make it wait.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def _address(self):
        said = []
        for line in self.process.stderr:
            said.append(line)
            found = re.search(r"listening on (https?://[^\s\"]+)", line)
            if found:
                return found[1].rstrip("/")
        raise RuntimeError("the service did not start: " + "".join(said))

    def add(self, documents, token=None):
        """Adds `(id, text)` pairs."""
        body = json.dumps({"documents": [{"id": name, "text": text} for name, text in documents]}).encode()
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        request = urllib.request.Request(self.url + "/v1/documents", body, headers)
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return json.load(answer)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=LIMIT)


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """A service that anyone may ask, with the samples. Tests that change it take `fresh`."""
    running = Service(tmp_path_factory.mktemp("service"))
    running.add(samples.documents())
    yield running
    running.stop()


@pytest.fixture
def fresh(tmp_path):
    """A service of one test's own, with a few documents."""
    running = Service(tmp_path)
    running.add(samples.documents()[:6])
    yield running
    running.stop()


@pytest.fixture(scope="session")
def guarded(tmp_path_factory):
    """A service that wants tokens."""
    directory = tmp_path_factory.mktemp("guarded")
    tokens = directory / "tokens"
    tokens.write_text(f"read {READ} reader\nwrite {WRITE} writer\n")
    tokens.chmod(0o600)
    running = Service(directory, "--token-file", str(tokens))
    running.add(samples.documents()[:6], WRITE)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        program = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        running = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=1000 * LIMIT)
        yield running
        running.close()


@pytest.fixture
def open_page(browser):
    """Opens pages of any kind; at the end none may have put an error on the console or hurt the content security policy."""
    opened, errors = [], []

    def told(message):
        if message.type in ("error", "warning") and not message.text.startswith(REQUEST_FAILED):
            errors.append(message.text)

    def open_one(**settings):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "color_scheme": "light", **settings})
        context.set_default_timeout(1000 * LIMIT)
        page = context.new_page()
        page.add_init_script("addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective))")
        page.on("console", told)
        page.on("pageerror", lambda error: errors.append(str(error)))
        opened.append(context)
        return page

    yield open_one
    for context in opened:
        context.close()
    assert errors == []


@pytest.fixture
def page(open_page):
    return open_page()
