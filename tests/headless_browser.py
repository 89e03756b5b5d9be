"""A page in a headless Chromium, driven over its DevTools protocol: run script, take pictures, read the console."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-gpu-sandbox",
    "--remote-debugging-port=0",
)
WAIT = 90.0  # s, at most, for the browser or one answer of it


def find_browser() -> str:
    """The program; the test is skipped where there is none, or no ``websockets`` to talk to it."""
    pytest.importorskip("websockets", reason="websockets (extra 'test') drives the browser")
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    return found


class Browser:
    """One tab; its answers are awaited one after another."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: Any) -> None:
        self._loop, self._socket, self._number = loop, socket, 0
        self.errors: list[str] = []  # of the console, and exceptions of scripts

    def open(self, path: Path, size: tuple[int, int] = (1280, 800), mobile: bool = False) -> None:
        """Load a file and wait until its scenes are there."""
        self.errors.clear()
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": mobile}
        self._ask("Emulation.setDeviceMetricsOverride", **metrics)
        self._ask("Page.navigate", url=path.resolve().as_uri())
        self.run("new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))")

    def run(self, script: str) -> Any:
        """The value (JSON) of an expression, awaited if it is a promise."""
        found = self._ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"].get("exception", {}).get("description", str(found)))
        return found["result"].get("value")

    def picture(self, path: Path) -> None:
        """What the tab shows, as a .png."""
        path.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"]))

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._loop.run_until_complete(asyncio.wait_for(self._answer(method, parameters), WAIT))

    async def _answer(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        await self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(await self._socket.recv())
            if message.get("id") == self._number:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        details = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(details["exceptionDetails"].get("exception", {}).get("description")))
        elif message.get("method") == "Runtime.consoleAPICalled" and details["type"] == "error":
            self.errors.append(str([one.get("value", one.get("description")) for one in details["args"]]))
        elif message.get("method") == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.errors.append(details["entry"]["text"])


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A tab of a browser that ends with the context."""
    program = find_browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        started = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        loop = asyncio.new_event_loop()
        try:
            socket = loop.run_until_complete(asyncio.wait_for(_connected(started, Path(profile)), WAIT))
            tab = Browser(loop, socket)
            for domain in ("Page", "Runtime", "Log"):
                tab._ask(f"{domain}.enable")
            yield tab
            loop.run_until_complete(socket.close())
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()
            loop.close()


async def _connected(started: subprocess.Popen, profile: Path) -> Any:
    """The connection to the first tab."""
    import websockets

    address = profile / "DevToolsActivePort"
    while not (address.is_file() and "\n" in address.read_text()):
        if started.poll() is not None:
            pytest.skip(f"the browser ended at once with status {started.returncode}")
        await asyncio.sleep(0.05)
    port = address.read_text().split("\n")[0]
    while True:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
            tabs = [tab for tab in json.load(answer) if tab["type"] == "page"]
        if tabs:
            return await websockets.connect(tabs[0]["webSocketDebuggerUrl"], max_size=None)
        await asyncio.sleep(0.05)
