"""The client for asyncio: `AsyncTurnpike`."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast, overload

import httpx

from . import _calls as calls
from . import _flows as flows
from ._flows import Call, Reading, Started
from ._options import headers_of, settings_of, timeout_of
from ._result import Output, TurnResult
from ._async_calls import AsyncApprovals, AsyncSessions, AsyncUploads
from ._async_connection import AsyncConnection, close_opened
from .types import HarnessEvent, TurnOptions, TurnRecord, UploadedFile

Model = TypeVar("Model")


class AsyncFollowedTurn(Generic[Output]):
    """A turn, read event by event: `async for event in turn`.

    A connection that breaks is made anew; events are received only as fast as they are taken. A second loop goes on
    where the first one was left.
    """

    def __init__(self, connection: AsyncConnection, reading: Reading, output: Any = None) -> None:
        self._connection = connection
        self._reading = reading
        self._output = output
        self._events: AsyncGenerator[HarnessEvent, None] | None = None

    @property
    def turn_id(self) -> str:
        return self._reading.turn_id

    @property
    def last_event_id(self) -> str | None:
        """The id of the last event that was taken: `after` for a reader elsewhere."""
        return self._reading.last_event_id

    async def __aiter__(self) -> AsyncIterator[HarnessEvent]:
        connection, reading = self._connection, self._reading
        # A loop that was left keeps its connection until it is collected: it is closed here.
        await self._leave()
        flow = flows.follow(connection.settings, reading)
        events = connection.events(flow, [], reading.opened)
        self._events = events
        async for event in events:
            yield event
        if self._events is not events:
            raise RuntimeError(
                f"Turn {self.turn_id} is being read by another loop."
                f" Make a second reader with client.follow({self.turn_id!r})."
            )

    async def _leave(self) -> None:
        events, self._events = self._events, None
        if events is not None:
            await events.aclose()

    async def result(self) -> TurnResult[Output]:
        """Reads the turn to its end. A turn that failed has a result too: look at `outcome`."""
        async for _ in self:
            pass
        return self._reading.result.to_result(self.turn_id, self._output)

    async def interrupt(self) -> str:
        """Asks the server to end the turn; its last events follow. May be called again."""
        return cast(str, await self._connection.json(calls.interrupt(self.turn_id), "state"))

    async def close(self) -> None:
        """Closes the connection; the turn goes on."""
        await self._leave()
        await close_opened(self._reading.opened)
        self._reading.opened = None

    async def __aenter__(self) -> AsyncFollowedTurn[Output]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncTurn(AsyncFollowedTurn[Output]):
    """A turn that this client submitted."""

    def __init__(
        self, connection: AsyncConnection, session_id: str, started: Started, output: Any
    ) -> None:
        reading = Reading(started.turn_id, opened=started.opened)
        super().__init__(connection, reading, output)
        self.session_id = session_id
        self.disposition = started.disposition
        """`started`, or what became of it where the session was busy: `enqueued; position=2`."""


class AsyncTurnpike:
    """A AsyncTurnpike server. Refusals are raised as `TurnpikeError`, a server that is not reached as
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
        token: Callable[[], Awaitable[str]] | None = None,
        headers: Mapping[str, str] | None = None,
        stall_s: float = 45.0,
        max_silence_s: float = 300.0,
        on_retry: Callable[[int, float, Exception], None] | None = None,
        http_client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
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
        client = httpx.AsyncClient() if http_client is None else http_client
        self._owned = client if http_client is None else None
        connection = AsyncConnection(settings, client, token, sleep)
        self._connection = connection
        self.sessions = AsyncSessions(connection)
        self.approvals = AsyncApprovals(connection)
        self.uploads = AsyncUploads(connection)

    @overload
    async def turn(
        self,
        session_id: str,
        message: str,
        *,
        output: type[Model],
        opts: TurnOptions | None = None,
        attachments: Sequence[str | UploadedFile] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncTurn[Model]: ...
    @overload
    async def turn(
        self,
        session_id: str,
        message: str,
        *,
        output: dict[str, Any] | None = None,
        opts: TurnOptions | None = None,
        attachments: Sequence[str | UploadedFile] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncTurn[Any]: ...
    async def turn(
        self,
        session_id: str,
        message: str,
        *,
        output: Any = None,
        opts: TurnOptions | None = None,
        attachments: Sequence[str | UploadedFile] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncTurn[Any]:
        """Submits a turn; returns once the server has accepted it. It is sent again until there is an answer, under
        one idempotency key: it runs once.

        @param output a pydantic model or a JSON Schema: the turn ends with such an object, `result().output`.
        @param idempotency_key a request with the same key follows the first turn. Default: a new key.
        """
        call = calls.turn(session_id, message, opts, attachments, output)
        flow = flows.start_turn(self._connection.settings, call, idempotency_key)
        started = cast(Started, await self._connection.run(flow))
        return AsyncTurn(self._connection, session_id, started, output)

    def follow(self, turn_id: str, *, after: str | None = None) -> AsyncFollowedTurn[Any]:
        """A turn that runs or ran, from its start or after an event. The first loop sends the request."""
        return AsyncFollowedTurn(self._connection, Reading(turn_id, last_event_id=after))

    async def get_turn(self, turn_id: str) -> TurnRecord:
        return cast(TurnRecord, await self._connection.json(calls.get_turn(turn_id), "turn"))

    async def interrupt(self, turn_id: str) -> str:
        """Asks the server to end a turn, running or queued. May be called again."""
        return cast(str, await self._connection.json(calls.interrupt(turn_id), "state"))

    async def request(self, method: str, path: str, *, json: Any = None, **query: Any) -> Any:
        """Calls any other route, with the same errors."""
        return await self._connection.json(Call(method, path, query=query, json=json))

    async def close(self) -> None:
        if self._owned is not None:
            await self._owned.aclose()

    async def __aenter__(self) -> AsyncTurnpike:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
