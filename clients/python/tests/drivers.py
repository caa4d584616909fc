"""The same calls through both clients, so that each test is written once."""

from __future__ import annotations

import asyncio
from typing import Any

from scripted_server import Clock
from turnpike import AsyncTurnpike, Turnpike


class Sync:
    def __init__(self, url: str, **options: Any) -> None:
        self.clock = Clock()
        self.retries: list[tuple[int, float]] = []
        self.client: Any = self._make(
            url,
            now=self.clock.now,
            random=lambda: 0.5,
            on_retry=lambda count, seconds, _cause: self.retries.append((count, seconds)),
            **options,
        )

    def _make(self, url: str, **options: Any) -> Any:
        return Turnpike(url, sleep=self.clock.sleep, **options)

    def follow(self, turn_id: str = "turn_1", **options: Any) -> list[str]:
        """The ids of the events that a reader gets."""
        with self.client as client:
            return [event["id"] for event in client.follow(turn_id, **options)]

    def turn(self, **options: Any) -> tuple[Any, Any]:
        """A turn that was read to its end, and its result."""
        with self.client as client:
            turn = client.turn("sess_1", "Hello", **options)
            return turn, turn.result()

    def follow_in_two(self, first: int) -> tuple[list[str], list[str], list[str]]:
        """The ids of three loops over one turn, the first of which is left early."""
        with self.client as client:
            turn = client.follow("turn_1")
            ids: list[str] = []
            for event in turn:
                ids.append(event["id"])
                if len(ids) == first:
                    break
            return ids, [event["id"] for event in turn], [event["id"] for event in turn]

    def call(self, *path: str, **options: Any) -> Any:
        """Calls a method of the client: `call("approvals", "approve", id)`."""
        with self.client as client:
            return _method(client, path)(**options)


class Async(Sync):
    def _make(self, url: str, **options: Any) -> Any:
        return AsyncTurnpike(url, sleep=self.clock.sleep_async, **options)

    def follow(self, turn_id: str = "turn_1", **options: Any) -> list[str]:
        async def read() -> list[str]:
            async with self.client as client:
                return [event["id"] async for event in client.follow(turn_id, **options)]

        return asyncio.run(read())

    def turn(self, **options: Any) -> tuple[Any, Any]:
        async def ask() -> tuple[Any, Any]:
            async with self.client as client:
                turn = await client.turn("sess_1", "Hello", **options)
                return turn, await turn.result()

        return asyncio.run(ask())

    def follow_in_two(self, first: int) -> tuple[list[str], list[str], list[str]]:
        async def read() -> tuple[list[str], list[str], list[str]]:
            async with self.client as client:
                turn = client.follow("turn_1")
                ids: list[str] = []
                async for event in turn:
                    ids.append(event["id"])
                    if len(ids) == first:
                        break
                second = [event["id"] async for event in turn]
                return ids, second, [event["id"] async for event in turn]

        return asyncio.run(read())

    def call(self, *path: str, **options: Any) -> Any:
        async def ask() -> Any:
            async with self.client as client:
                return await _method(client, path)(**options)

        return asyncio.run(ask())


def _method(client: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        client = getattr(client, name)
    return client
