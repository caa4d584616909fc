"""Takes the steps of flows, one by one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

import httpx

from . import _flows as flows
from ._flows import Broken, Call, Opened, Settings, Started
from ._options import request_of
from ._tokens import HeldToken
from .types import HarnessEvent


class Connection:
    """Takes the steps of flows."""

    def __init__(
        self,
        settings: Settings,
        client: httpx.Client,
        token: Callable[[], str] | None,
        sleep: Callable[[float], None],
    ) -> None:
        self.settings = settings
        self.client = client
        self._ask_token = token
        self._token = HeldToken(settings.now)
        self._token_lock = threading.Lock()
        self._sleep = sleep

    def json(self, call: Call, name: str | None = None) -> Any:
        return self.run(flows.call_json(self.settings, call, name))

    def run(self, flow: flows.Flow) -> Any:
        """Takes all steps of a flow. @returns what the flow returns."""
        outcome: list[Any] = []
        for _ in self.events(flow, outcome):
            pass
        return outcome[0]

    def events(
        self, flow: flows.Flow, outcome: list[Any], first: Opened | None = None
    ) -> Iterator[HarnessEvent]:
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
                        close_opened(opened)
                        result = opened = self._send(step.call)
                    else:
                        result = self._take(step)
                except httpx.RequestError as error:
                    broken = Broken(str(error) or type(error).__name__)
        except StopIteration as end:
            outcome.append(end.value)
            if isinstance(end.value, Started):
                # Its reader reads on.
                opened = None
        finally:
            close_opened(opened)

    def _take(self, step: flows.Step) -> bytes | None:
        if isinstance(step, flows.ReadPiece):
            _response, pieces = step.opened.source
            return cast("bytes | None", next(pieces, None))
        if isinstance(step, flows.Pause):
            self._sleep(step.seconds)
        return None

    def _send(self, call: Call) -> Opened:
        token = self._current_token()
        opened = self._send_once(call, token)
        if opened.status != 401 or token is None:
            return opened
        # The application is asked once for another token.
        self._token.drop(token)
        if not call.may_repeat:
            return opened
        close_opened(opened)
        return self._send_once(call, self._current_token())

    def _send_once(self, call: Call, token: str | None) -> Opened:
        request = request_of(self.client, self.settings, call, token)
        response = self.client.send(request, stream=True)
        return Opened(response.status_code, response.headers, (response, response.iter_bytes()))

    def _current_token(self) -> str | None:
        if self._ask_token is None:
            return None
        # Threads that come together share one request.
        with self._token_lock:
            return self._token.current or self._token.keep(self._ask_token())


def close_opened(opened: Opened | None) -> None:
    if opened is not None:
        opened.source[0].close()
