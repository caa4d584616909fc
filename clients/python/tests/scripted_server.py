"""A server on a real socket that answers as a test says, and breaks connections where it says."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut_after: int | None = None
    """Bytes of the body after which the connection is reset."""
    hangs: bool = False
    """After its body, the connection stays open and silent."""
    piece: int = 65536
    is_refused: bool = False
    """The connection ends without an answer."""


def refusal(status: int, code: str = "NO", message: str = "No.", **headers: str) -> Answer:
    body = json.dumps({"error": {"type": code, "message": message}}).encode()
    return Answer(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def frames_of(turn_id: str, words: int) -> list[tuple[str, str, Any]]:
    said: list[tuple[str, Any]] = [("session:init", {"sessionId": "sess_1"}), ("step:start", {"step": 1})]
    said += [("chat:delta", {"text": f"wörd{index} ", "step": 1}) for index in range(words)]
    said += [("turn:end", {"outcome": "completed", "exitCode": 0}), ("process:exit", {"exitCode": 0})]
    return [(f"{turn_id}:1.{index}", name, data) for index, (name, data) in enumerate(said)]


def stream_of(frames: Sequence[tuple[str, str, Any]]) -> bytes:
    text = "".join(
        f": alive\n\nevent: {name}\nid: {id_}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
        for id_, name, data in frames
    )
    return text.encode()


class TurnServer:
    """Serves one turn; `before` answers the first requests in its place, `cuts` breaks its first streams."""

    def __init__(
        self,
        frames: Sequence[tuple[str, str, Any]],
        *,
        before: Sequence[Answer | None] = (),
        cuts: Sequence[int] = (),
        piece: int = 65536,
        hangs: bool = False,
    ) -> None:
        self.requests: list[Request] = []
        self._frames = frames
        self._before = list(before)
        self._cuts = list(cuts)
        self._piece = piece
        self._hangs = hangs
        self._released = threading.Event()
        answer = self._answer
        released = self._released

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                request = _read_request(self.rfile)
                if request is not None:
                    _write(self, answer(request), released)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def cursors(self) -> list[str | None]:
        return [request.headers.get("last-event-id") for request in self.requests if request.path.endswith("/events")]

    def __enter__(self) -> TurnServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: Request) -> Answer:
        self.requests.append(request)
        planned = self._before.pop(0) if self._before else None
        if planned is not None:
            return planned
        after = request.headers.get("last-event-id")
        ids = [id_ for id_, _, _ in self._frames]
        rest = self._frames[ids.index(after) + 1 :] if after in ids else self._frames
        if after is not None and not rest:
            return Answer(204)
        headers = {
            "content-type": "text/event-stream",
            "x-turn-id": "turn_1",
            "x-turn-disposition": "enqueued; position=2",
        }
        is_cut = len(self._cuts) > 0
        cut = self._cuts.pop(0) if is_cut else None
        return Answer(200, headers, stream_of(rest), cut, self._hangs and is_cut, self._piece)


def _read_request(stream: Any) -> Request | None:
    first = stream.readline().decode().split(" ")
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    while (line := stream.readline().decode().strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    if headers.get("transfer-encoding") == "chunked":
        while (size := int(stream.readline(), 16)) > 0:
            body += stream.read(size)
            stream.readline()
        stream.readline()
    return Request(first[0], first[1], headers, body)


def _write(handler: Any, answer: Answer, released: threading.Event) -> None:
    if answer.is_refused:
        return
    is_short = answer.cut_after is not None and answer.cut_after < len(answer.body)
    body = answer.body[: answer.cut_after] if is_short else answer.body
    head = {"connection": "close", **answer.headers}
    # A body that is cut is shorter than its length says.
    if answer.status != 204:
        head["content-length"] = str(len(answer.body))
    lines = [f"HTTP/1.1 {answer.status} -", *(f"{name}: {value}" for name, value in head.items())]
    try:
        handler.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        for start in range(0, len(body), answer.piece):
            handler.wfile.write(body[start : start + answer.piece])
            handler.wfile.flush()
        if answer.hangs and is_short:
            released.wait(30)
    except OSError:
        # The client left.
        return


class Clock:
    """Time that passes only while the client waits."""

    def __init__(self) -> None:
        self.time = 1_000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)
