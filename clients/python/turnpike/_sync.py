"""The client that waits: `Turnpike`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast, overload

import httpx

from . import _calls as calls
from . import _flows as flows
from ._flows import Call, Reading, Started
from ._options import headers_of, settings_of, timeout_of
from ._result import Output, TurnResult
from ._sync_calls import Approvals, Sessions, Uploads
from ._sync_connection import Connection, close_opened
from .types import HarnessEvent, TurnOptions, TurnRecord, UploadedFile

Model = TypeVar("Model")


class FollowedTurn(Generic[Output]):
    """A turn, read event by event: `for event in turn`.

    A connection that breaks is made anew; events are received only as fast as they are taken. A second loop goes on
    where the first one was left.
    """

    def __init__(self, connection: Connection, reading: Reading, output: Any = None) -> None:
        self._connection = connection
        self._reading = reading
        self._output = output

    @property
    def turn_id(self) -> str:
        return self._reading.turn_id

    @property
    def last_event_id(self) -> str | None:
        """The id of the last event that was taken: `after` for a reader elsewhere."""
        return self._reading.last_event_id

    def __iter__(self) -> Iterator[HarnessEvent]:
        reading = self._reading
        reading.begin()
        try:
            flow = flows.follow(self._connection.settings, reading)
            yield from self._connection.events(flow, [], reading.opened)
        finally:
            reading.is_read = False

    def result(self) -> TurnResult[Output]:
        """Reads the turn to its end. A turn that failed has a result too: look at `outcome`."""
        for _ in self:
            pass
        return self._reading.result.to_result(self.turn_id, self._output)

    def interrupt(self) -> str:
        """Asks the server to end the turn; its last events follow. May be called again."""
        return cast(str, self._connection.json(calls.interrupt(self.turn_id), "state"))

    def close(self) -> None:
        """Closes the connection where no loop has taken it over. The turn goes on."""
        close_opened(self._reading.opened)
        self._reading.opened = None

    def __enter__(self) -> FollowedTurn[Output]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Turn(FollowedTurn[Output]):
    """A turn that this client submitted."""

    def __init__(
        self, connection: Connection, session_id: str, started: Started, output: Any
    ) -> None:
        reading = Reading(started.turn_id, opened=started.opened)
        super().__init__(connection, reading, output)
        self.session_id = session_id
        self.disposition = started.disposition
        """`started`, or what became of it where the session was busy: `enqueued; position=2`."""


class Turnpike:
    """A Turnpike server. Refusals are raised as `TurnpikeError`, a server that is not reached as
    `ConnectionLostError`.

    @param url default: `TURNPIKE_URL`, or `http://127.0.0.1:4400`.
    @param key an API key. Default: `TURNPIKE_API_KEY`, or none.
    @param token in place of a key: returns a token. It is called before the first request, shortly before a token
        ends, and once where the server refuses one.
    @param stall_s seconds without a byte after which a stream's connection is made anew.
    @param max_silence_s seconds of silence after which a turn's stream, or a call, is given up.
    @param on_retry called before each wait with the number of the try, the seconds and the cause.
    @param http_client for a proxy, certificates or limits; it is not closed with this client.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        token: Callable[[], str] | None = None,
        headers: Mapping[str, str] | None = None,
        stall_s: float = 45.0,
        max_silence_s: float = 300.0,
        on_retry: Callable[[int, float, Exception], None] | None = None,
        http_client: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = random.random,
    ) -> None:
        settings = settings_of(
            url,
            headers=headers_of(key if token is None else None, headers),
            timeout=timeout_of(stall_s),
            max_silence_s=max_silence_s,
            on_retry=on_retry,
            now=now,
            random=random,
        )
        client = httpx.Client() if http_client is None else http_client
        self._owned = client if http_client is None else None
        connection = Connection(settings, client, token, sleep)
        self._connection = connection
        self.sessions = Sessions(connection)
        self.approvals = Approvals(connection)
        self.uploads = Uploads(connection)

    @overload
    def turn(
        self,
        session_id: str,
        message: str,
        *,
        output: type[Model],
        opts: TurnOptions | None = None,
        attachments: Sequence[str | UploadedFile] | None = None,
        idempotency_key: str | None = None,
    ) -> Turn[Model]: ...
    @overload
    def turn(
        self,
        session_id: str,
        message: str,
        *,
        output: dict[str, Any] | None = None,
        opts: TurnOptions | None = None,
        attachments: Sequence[str | UploadedFile] | None = None,
        idempotency_key: str | None = None,
    ) -> Turn[Any]: ...
    def turn(
        self,
        session_id: str,
        message: str,
        *,
        output: Any = None,
        opts: TurnOptions | None = None,
        attachments: Sequence[str | UploadedFile] | None = None,
        idempotency_key: str | None = None,
    ) -> Turn[Any]:
        """Submits a turn; returns once the server has accepted it. It is sent again until there is an answer, under
        one idempotency key: it runs once.

        @param output a pydantic model or a JSON Schema: the turn ends with such an object, `result().output`.
        @param idempotency_key a request with the same key follows the first turn. Default: a new key.
        """
        call = calls.turn(session_id, message, opts, attachments, output)
        flow = flows.start_turn(self._connection.settings, call, idempotency_key)
        started = cast(Started, self._connection.run(flow))
        return Turn(self._connection, session_id, started, output)

    def follow(self, turn_id: str, *, after: str | None = None) -> FollowedTurn[Any]:
        """A turn that runs or ran, from its start or after an event. The first loop sends the request."""
        return FollowedTurn(self._connection, Reading(turn_id, last_event_id=after))

    def get_turn(self, turn_id: str) -> TurnRecord:
        return cast(TurnRecord, self._connection.json(calls.get_turn(turn_id), "turn"))

    def interrupt(self, turn_id: str) -> str:
        """Asks the server to end a turn, running or queued. May be called again."""
        return cast(str, self._connection.json(calls.interrupt(turn_id), "state"))

    def request(self, method: str, path: str, *, json: Any = None, **query: Any) -> Any:
        """Calls any other route, with the same errors."""
        return self._connection.json(Call(method, path, query=query, json=json))

    def close(self) -> None:
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Turnpike:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
