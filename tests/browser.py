"""A headless Chromium by way of its driver: W3C WebDriver over HTTP, in plain Python."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1500,950",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing():
    """Why there is no browser to test in; empty where there is one."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        return "no Chromium: apt-get install chromium chromium-driver"
    if shutil.which("chromedriver") is None:
        return "no chromedriver: apt-get install chromium-driver"
    return ""


class Browser:
    """One session of a browser, with a profile of its own."""

    def __init__(self, profile, *flags):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.root = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver"), f"--port={port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        binary = shutil.which("chromium") or shutil.which("google-chrome")
        options = {"binary": binary, "args": [*FLAGS, *flags, f"--user-data-dir={profile}"]}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self.session = ""
        self.session = "/session/" + self._started(wanted)["sessionId"]

    def _started(self, wanted):
        for _ in range(100):
            try:
                return self.ask("POST", "/session", wanted)
            except (ConnectionError, urllib.error.URLError) as error:
                if isinstance(error, urllib.error.HTTPError):
                    raise AssertionError(error.read().decode()) from error
                time.sleep(0.1)
        raise AssertionError("chromedriver does not answer")

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        head = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.root + self.session + path, data, head, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        """Show a page, and wait until it takes keys: a browser drops those that come before
        the first frame is painted and the page has the focus."""
        self.ask("POST", "/url", {"url": path.resolve().as_uri()})
        self.until("return document.hasFocus() && performance.getEntriesByType('paint').length > 0")

    def until(self, script):
        """What a script returns as soon as that is something; at the latest after 20 seconds."""
        end = time.monotonic() + 20
        while not (found := self.run(script)) and time.monotonic() < end:
            time.sleep(0.02)
        return found

    def run(self, script, *args):
        """What a script returns, run in the page."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find(self, selector):
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def hover(self, selector):
        move = {"type": "pointerMove", "origin": {ELEMENT: self.find(selector)}, "x": 0, "y": 0}
        mouse = {"type": "pointer", "id": "mouse", "actions": [move]}
        self.ask("POST", "/actions", {"actions": [mouse]})

    def leave(self):
        move = {"type": "pointerMove", "x": 2, "y": 2}
        mouse = {"type": "pointer", "id": "mouse", "actions": [move]}
        self.ask("POST", "/actions", {"actions": [mouse]})

    def press(self, *keys):
        downs = [{"type": kind, "value": k} for k in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": downs}]})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def log(self):
        """What the console has said."""
        return self.ask("POST", "/se/log", {"type": "browser"})

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=20)
