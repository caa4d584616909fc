"""The client of Turnpike, an agent turn server. `Turnpike` waits; `AsyncTurnpike` is for asyncio."""

from . import types
from ._async import AsyncFollowedTurn, AsyncTurn, AsyncTurnpike
from ._errors import ConnectionLostError, TurnpikeError
from ._result import TurnResult
from ._sync import FollowedTurn, Turn, Turnpike

__all__ = [
    "AsyncFollowedTurn",
    "AsyncTurn",
    "AsyncTurnpike",
    "ConnectionLostError",
    "FollowedTurn",
    "Turn",
    "TurnResult",
    "Turnpike",
    "TurnpikeError",
    "types",
]
