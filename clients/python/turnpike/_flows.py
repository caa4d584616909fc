"""What the client does, as generators that say which step comes next and are sent its result.

A driver takes the steps: `_sync.py` one by one, `_async.py` with `await`. So both do the same. A step that fails is
thrown into the generator as `Broken`.
"""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Union
from urllib.parse import quote

from ._errors import ConnectionLostError, TurnpikeError, is_final, parse_refusal, unreadable
from ._frames import FrameParser
from ._result import ResultState

_BASE_S = 0.25
_CAP_S = 10.0
_OK = range(200, 300)


class Broken(Exception):
    """The connection could not be made, or broke."""


@dataclass(frozen=True)
class Call:
    """A request. Values of `query` and `headers` that are None are left out."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    files: Any = None
    is_stream: bool = False

    @property
    def may_repeat(self) -> bool:
        """Whether its body can be sent again: what was read from a file cannot."""
        return self.files is None or all(isinstance(file[1], bytes) for file in self.files.values())


@dataclass(frozen=True)
class Opened:
    """An answer whose body is still to be read."""

    status: int
    headers: Mapping[str, str]
    source: Any


@dataclass(frozen=True)
class Started:
    """A turn that was accepted, and its open stream."""

    turn_id: str
    disposition: str
    opened: Opened


@dataclass(frozen=True)
class Send:
    call: Call


@dataclass(frozen=True)
class ReadPiece:
    """The next bytes of a body; None at its end."""

    opened: Opened


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Emit:
    """An event for the reader of a turn."""

    event: dict[str, Any]


Step = Union[Send, ReadPiece, Pause, Emit]
Flow = Generator[Step, Any, Any]


@dataclass
class Settings:
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: Any = None
    max_silence_s: float = 300.0
    on_retry: Callable[[int, float, Exception], None] | None = None
    now: Callable[[], float] = time.time
    random: Callable[[], float] = random.random


def route(template: str, *values: str) -> str:
    """A path whose values are encoded: `route("/api/harness/turns/{}", turn_id)`."""
    return template.format(*(quote(value, safe="") for value in values))


def lost(settings: Settings) -> ConnectionLostError:
    return ConnectionLostError(
        f"The server at {settings.url} cannot be reached, or the connection broke."
        " Check the address and that the server runs."
    )


class _Retrying:
    """Tries again until the server was silent for `max_silence_s`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._failures = 0
        self._contact_at = settings.now()

    def contact(self) -> None:
        self._contact_at = self._settings.now()

    def progress(self) -> None:
        self._failures = 0

    def wait(self, cause: Exception, give_up: ConnectionLostError) -> Flow:
        settings = self._settings
        self._failures += 1
        after_s = cause.retry_after_s if isinstance(cause, TurnpikeError) else None
        cap = min(_CAP_S, _BASE_S * 2 ** min(self._failures - 1, 30))
        # At random, so that the readers of a server that died do not all come back in the same moment.
        delay_s = max(after_s or 0.0, settings.random() * cap)
        if settings.now() + delay_s - self._contact_at > settings.max_silence_s:
            if isinstance(cause, TurnpikeError):
                raise cause
            raise give_up from cause
        if settings.on_retry is not None:
            settings.on_retry(self._failures, delay_s, cause)
        yield Pause(delay_s)


def open_call(settings: Settings, call: Call) -> Flow:
    """Sends a request. Returns a 2xx; raises TurnpikeError for any other answer."""
    opened: Opened = yield Send(call)
    if opened.status in _OK:
        return opened
    try:
        body = yield from read_body(opened)
    except Broken:
        body = b""
    raise parse_refusal(opened.status, opened.headers, body, settings.now())


def read_body(opened: Opened) -> Flow:
    pieces: list[bytes] = []
    while (piece := (yield ReadPiece(opened))) is not None:
        pieces.append(piece)
    return b"".join(pieces)


def call_bytes(settings: Settings, call: Call) -> Flow:
    try:
        opened = yield from open_call(settings, call)
        return (yield from read_body(opened))
    except Broken as broken:
        raise lost(settings) from broken


def call_json(settings: Settings, call: Call, name: str | None = None) -> Flow:
    """Sends a request and parses its answer, or one field of it."""
    text = yield from call_bytes(settings, call)
    try:
        answer = json.loads(text)
        return answer if name is None else answer[name]
    except (ValueError, KeyError, TypeError) as error:
        raise unreadable(200, "The answer is not the JSON of this route") from error


def start_turn(settings: Settings, call: Call, key: str | None) -> Flow:
    """Submits a turn. Where the answer is lost, the same request goes out again under the same key: one turn starts."""
    headers: dict[str, str | None] = {**call.headers, "idempotency-key": key or uuid.uuid4().hex}
    call = Call(call.method, call.path, json=call.json, headers=headers, is_stream=True)
    retrying = _Retrying(settings)
    is_repeat = False
    while True:
        try:
            opened: Opened = yield from open_call(settings, call)
            turn_id = opened.headers.get("x-turn-id")
            if turn_id is None:
                raise unreadable(
                    opened.status,
                    "The answer names no turn, or what stands before the server does not pass X-Turn-Id on",
                )
            return Started(turn_id, opened.headers.get("x-turn-disposition", "started"), opened)
        except (TurnpikeError, Broken) as error:
            if isinstance(error, TurnpikeError) and _is_final_answer(error, is_repeat):
                raise
            yield from retrying.wait(error, lost(settings))
            is_repeat = True


def _is_final_answer(error: TurnpikeError, is_repeat: bool) -> bool:
    """Whether the error proves that no turn was accepted.

    A retryable one does not: a proxy or a stopping server may send it after the turn was stored. Nor does one of a
    repeat, unless it is `TURN_IN_PROGRESS`: a repeat finds its own turn by its key, so another turn is active.
    """
    if not error.retryable or error.code == "TURN_IN_PROGRESS":
        return True
    return error.status < 500 and not is_repeat


@dataclass
class Reading:
    """A reader's progress in a turn. One `follow` at a time goes on from it."""

    turn_id: str
    last_event_id: str | None = None
    opened: Opened | None = None
    """An open connection to begin with."""
    is_over: bool = False
    is_read: bool = False
    result: ResultState = field(default_factory=ResultState)

    def begin(self) -> None:
        """Takes the reading for one loop."""
        if self.is_read:
            raise RuntimeError(
                f"Turn {self.turn_id} is being read already."
                f" Make a second reader with client.follow({self.turn_id!r})."
            )
        self.is_read = True


def follow(settings: Settings, reading: Reading) -> Flow:
    """Emits the events after `last_event_id`, over as many connections as it takes: none is lost, none comes twice."""
    retrying = _Retrying(settings)
    while not reading.is_over:
        try:
            opened = yield from _open_stream(settings, reading)
            # 204: the turn has ended, and `last_event_id` is its last event.
            if opened.status == 204:
                reading.is_over = True
                return
            yield from _read_stream(opened, reading, retrying)
            if reading.is_over:
                return
            cause: Exception = Broken("The stream ended before the turn did")
        except (TurnpikeError, Broken) as error:
            if is_final(error):
                raise
            cause = error
        yield from retrying.wait(cause, _lost_turn(settings, reading))


def _open_stream(settings: Settings, reading: Reading) -> Flow:
    opened, reading.opened = reading.opened, None
    if opened is None:
        path = route("/api/harness/turns/{}/events", reading.turn_id)
        headers = {"last-event-id": reading.last_event_id}
        opened = yield from open_call(settings, Call("GET", path, headers=headers, is_stream=True))
    is_stream = opened.headers.get("content-type", "").startswith("text/event-stream")
    # A proxy that answers every request with 200 would be asked for ever.
    if opened.status != 204 and not is_stream:
        raise unreadable(opened.status, "The answer is not an event stream")
    return opened


def _read_stream(opened: Opened, reading: Reading, retrying: _Retrying) -> Flow:
    parser = FrameParser()
    # What is left in the parser at the end is half a frame: the next connection sends it whole.
    while (piece := (yield ReadPiece(opened))) is not None:
        retrying.contact()
        for frame in parser.feed(piece):
            event = _to_event(frame)
            retrying.progress()
            # The stream goes on after the last event, with another token.
            if event["event"] == "session:reauthenticate":
                continue
            # What is said of the moment has no id.
            if event["id"]:
                reading.last_event_id = event["id"]
            reading.is_over = event["event"] == "process:exit"
            reading.result.add(event)
            yield Emit(event)
        # The time that the reader took for these events is not the server's silence.
        retrying.contact()
        if reading.is_over:
            return


def _to_event(frame: Any) -> dict[str, Any]:
    """Checked before the event counts as received."""
    try:
        data = json.loads(frame.data)
    except ValueError as error:
        raise Broken("An event came with data that is no JSON") from error
    if not isinstance(data, dict):
        raise Broken("An event came with data that is no object")
    return {"event": frame.event, "id": frame.id, "data": data}


def _lost_turn(settings: Settings, reading: Reading) -> ConnectionLostError:
    after = "" if reading.last_event_id is None else f" after {reading.last_event_id}"
    return ConnectionLostError(
        f"The server at {settings.url} gave no sign of life for {settings.max_silence_s:.0f} s."
        f" Turn {reading.turn_id} may go on: follow it again{after}.",
        turn_id=reading.turn_id,
        last_event_id=reading.last_event_id,
    )
