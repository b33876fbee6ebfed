"""Asks a peer in a process of its own, so that neither its time nor its crash is ours.

One process serves a peer as long as it answers; after a time-out or a crash the next question
starts a new one.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any

from ..workloads import BY_NAME
from .protocol import Emitted, Refused

LIMIT = 60.0  # seconds of a question, as in the stored run
MODULES = {"egad": "own"}
REPEATED = 5.0  # what took less is asked again, warm, and the lesser time counts


@dataclass
class Worker:
    """A peer's process; `ask` gives its answer or raises Refused."""

    peer: str
    limit: float = LIMIT
    module: str = ""  # where it is, if not in this room
    _process: Any = field(default=None, repr=False)
    _connection: Any = field(default=None, repr=False)

    def ask(self, method: str, workload: str, *args: Any) -> Any:
        self._start()
        self._connection.send((method, workload, *args))
        if not self._connection.poll(self.limit):
            self.stop()
            raise Refused(f"no result in {self.limit:g} s")
        try:
            answer = self._connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join(5)
            code = self._process.exitcode
            self.stop()
            raise Refused(f"its process ends with {code}") from None
        if isinstance(answer, str):
            raise Refused(answer)
        return answer

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = self._connection = None

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, self.module or _module(self.peer)), daemon=True
        )
        self._process.start()
        theirs.close()
        self._connection.send(("load",))
        if not self._connection.poll(self.limit):
            self.stop()
            raise Refused(f"does not start in {self.limit:g} s")
        try:
            answer = self._connection.recv()
        except (EOFError, ConnectionResetError):
            answer = "its process ends while it starts"
        if isinstance(answer, str):
            self.stop()
            raise Refused(answer)


def _module(peer: str) -> str:
    return f"bench.peers.{MODULES.get(peer, peer)}"


def _serve(connection: Connection, name: str) -> None:
    """In the peer's process: answer questions; a text is a refusal."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    module: Any = None
    while True:
        try:
            method, *args = connection.recv()
        except (EOFError, ConnectionResetError):
            return
        try:
            if method == "load":
                module = importlib.import_module(name)
                getattr(module, "load", lambda: None)()
                answer: Any = True
            else:
                answer = _answer(getattr(module, method), *args)
        except ModuleNotFoundError as missing:
            answer = f"not installed ({missing.name})"
        except Refused as refusal:
            answer = str(refusal)
        except Exception as error:
            answer = f"{type(error).__name__}: {str(error).strip()[:200]}"
        try:
            connection.send(answer)
        except BrokenPipeError:  # nobody waits any more
            return


def _answer(method: Callable[..., Any], workload: str, *args: Any) -> Any:
    answer, seconds = _timed(method, workload, *args)
    if not isinstance(answer, Emitted):
        return answer
    if seconds < REPEATED:
        seconds = min(seconds, _timed(method, workload, *args)[1])
    return replace(answer, seconds=seconds)


def _timed(method: Callable[..., Any], workload: str, *args: Any) -> tuple[Any, float]:
    began = time.perf_counter()
    answer = method(BY_NAME[workload], *args)
    return answer, time.perf_counter() - began
