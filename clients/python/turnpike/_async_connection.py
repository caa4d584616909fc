"""Takes the steps of flows with `await`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, cast

import httpx

from . import _flows as flows
from ._flows import Broken, Call, Opened, Settings, Started
from ._options import request_of
from ._tokens import HeldToken
from .types import HarnessEvent


class AsyncConnection:
    """Takes the steps of flows."""

    def __init__(
        self,
        settings: Settings,
        client: httpx.AsyncClient,
        token: Callable[[], Awaitable[str]] | None,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.settings = settings
        self.client = client
        self._ask_token = token
        self._token = HeldToken(settings.now)
        self._token_lock = asyncio.Lock()
        self._sleep = sleep

    async def json(self, call: Call, name: str | None = None) -> Any:
        return await self.run(flows.call_json(self.settings, call, name))

    async def run(self, flow: flows.Flow) -> Any:
        """Takes all steps of a flow. @returns what the flow returns."""
        outcome: list[Any] = []
        async for _ in self.events(flow, outcome):
            pass
        return outcome[0]

    async def events(
        self, flow: flows.Flow, outcome: list[Any], first: Opened | None = None
    ) -> AsyncGenerator[HarnessEvent, None]:
        """The events that a flow emits. What it returns is put into `outcome`; its connections are closed."""
        opened = first
        result: Any = None
        broken: Broken | None = None
        try:
            while True:
                step = flow.send(result) if broken is None else flow.throw(broken)
                result, broken = None, None
                if isinstance(step, flows.Emit):
                    yield cast(HarnessEvent, step.event)
                    continue
                try:
                    if isinstance(step, flows.Send):
                        await close_opened(opened)
                        result = opened = await self._send(step.call)
                    else:
                        result = await self._take(step)
                except httpx.RequestError as error:
                    broken = Broken(str(error) or type(error).__name__)
        except StopIteration as end:
            outcome.append(end.value)
            if isinstance(end.value, Started):
                # Its reader reads on.
                opened = None
        finally:
            await close_opened(opened)

    async def _take(self, step: flows.Step) -> bytes | None:
        if isinstance(step, flows.ReadPiece):
            _response, pieces = step.opened.source
            return cast("bytes | None", await anext(pieces, None))
        if isinstance(step, flows.Pause):
            await self._sleep(step.seconds)
        return None

    async def _send(self, call: Call) -> Opened:
        token = await self._current_token()
        opened = await self._send_once(call, token)
        if opened.status != 401 or token is None:
            return opened
        # The application is asked once for another token.
        self._token.drop(token)
        if not call.may_repeat:
            return opened
        await close_opened(opened)
        return await self._send_once(call, await self._current_token())

    async def _send_once(self, call: Call, token: str | None) -> Opened:
        request = request_of(self.client, self.settings, call, token)
        response = await self.client.send(request, stream=True)
        return Opened(response.status_code, response.headers, (response, response.aiter_bytes()))

    async def _current_token(self) -> str | None:
        if self._ask_token is None:
            return None
        # Tasks that come together share one request.
        async with self._token_lock:
            return self._token.current or self._token.keep(await self._ask_token())


async def close_opened(opened: Opened | None) -> None:
    if opened is not None:
        await opened.source[0].aclose()
