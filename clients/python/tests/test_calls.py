"""Calls beside turns: what is sent, tokens, refusals, and that both clients have the same."""

from __future__ import annotations

import base64
import inspect
import io
import json
import unittest

import turnpike
from drivers import Async, Sync
from scripted_server import Answer, Clock, TurnServer, refusal
from turnpike import AsyncTurnpike, ConnectionLostError, Turnpike, TurnpikeError
from turnpike._errors import parse_refusal
from turnpike._frames import FrameParser
from turnpike._tokens import HeldToken


def answer(**body) -> Answer:
    return Answer(200, {"content-type": "application/json"}, json.dumps(body).encode())


def token_until(end_s: float) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": end_s}).encode()).decode().rstrip("=")
    return f"head.{claims}.signature"


class OfBoth:
    driver: type[Sync]

    def tokens(self, *values: str):
        """The application's function that returns one token after the other."""
        left = list(values)

        async def ask_async() -> str:
            return left.pop(0)

        return (lambda: left.pop(0)) if self.driver is Sync else ask_async

    def test_values_of_a_path_are_encoded(self):
        with TurnServer([], before=[answer(session={"sessionId": "a/b"})]) as server:
            self.driver(server.url).call("sessions", "get", session_id="a/b?")
            self.assertEqual(server.requests[0].path, "/api/harness/session/a%2Fb%3F")

    def test_what_is_not_given_is_not_sent(self):
        with TurnServer([], before=[answer(approvals=[], nextCursor="n")]) as server:
            page = self.driver(server.url).call("approvals", "list", turn_id="turn_1")
            self.assertEqual(page, ([], "n"))
            self.assertEqual(server.requests[0].path, "/api/harness/approvals?turnId=turn_1")

    def test_answers_an_approval(self):
        with TurnServer([], before=[answer(approval={"approvalId": "appr_1"})]) as server:
            driver = self.driver(server.url)
            driver.call("approvals", "deny", approval_id="appr_1", message="Only files.")
            sent = json.loads(server.requests[0].body)
            self.assertEqual(sent, {"decision": "deny", "message": "Only files."})

    def test_answers_what_a_call_asks(self):
        approval = answer(approval={"approvalId": "appr_1"})
        with TurnServer([], before=[approval, approval]) as server:
            content = {"name": "Ada"}
            self.driver(server.url).call("approvals", "say", approval_id="appr_1", content=content)
            self.driver(server.url).call("approvals", "dismiss", approval_id="appr_1")
            sent = [json.loads(request.body) for request in server.requests]
            self.assertEqual(sent, [{"decision": "answer", "content": content}, {"decision": "cancel"}])

    def test_uploads_a_file(self):
        for content in (b"One, two.", io.BytesIO(b"One, two.")):
            with TurnServer([], before=[answer(attachments=[{"id": "att_1"}])]) as server:
                driver = self.driver(server.url)
                file = driver.call("uploads", "send", name='a"b.txt', content=content)
                self.assertEqual(file, {"id": "att_1"})
                self.assertIn(b"One, two.", server.requests[0].body)

    def test_a_refused_token_is_asked_for_once_more(self):
        with TurnServer([], before=[refusal(401), answer(turn={"turnId": "turn_1"})]) as server:
            driver = self.driver(server.url, token=self.tokens("one", "two"))
            self.assertEqual(driver.call("get_turn", turn_id="turn_1"), {"turnId": "turn_1"})
            sent = [request.headers["authorization"] for request in server.requests]
            self.assertEqual(sent, ["Bearer one", "Bearer two"])

    def test_an_answer_that_is_no_json_is_said_to_be_none_of_turnpike(self):
        for body in (b"<html>", b"[]", b"{}"):
            with TurnServer([], before=[Answer(200, {}, body)]) as server:
                with self.assertRaises(TurnpikeError) as raised:
                    self.driver(server.url).call("get_turn", turn_id="turn_1")
                self.assertEqual(raised.exception.code, "UNREADABLE_ANSWER")

    def test_a_server_that_is_not_there_is_named(self):
        driver = self.driver("http://127.0.0.1:9")
        with self.assertRaisesRegex(ConnectionLostError, "http://127.0.0.1:9 cannot be reached"):
            driver.call("get_turn", turn_id="turn_1")


class SyncCalls(OfBoth, unittest.TestCase):
    driver = Sync


class AsyncCalls(OfBoth, unittest.TestCase):
    driver = Async


class Parts(unittest.TestCase):
    def test_a_token_is_used_until_shortly_before_its_end(self):
        clock = Clock()
        held = HeldToken(clock.now)
        self.assertIsNone(held.current)
        first = held.keep(token_until(clock.time + 600))
        clock.time += 569
        self.assertEqual(held.current, first)
        clock.time += 1
        self.assertIsNone(held.current)
        opaque = held.keep("opaque")
        clock.time += 1e6
        held.drop(first)
        self.assertEqual(held.current, opaque)
        held.drop(opaque)
        self.assertIsNone(held.current)

    def test_both_clients_have_the_same_calls(self):
        sync, of_asyncio = Turnpike("http://a"), AsyncTurnpike("http://a")
        for name in ("sessions", "approvals", "uploads"):
            self.assertEqual(calls_of(getattr(sync, name)), calls_of(getattr(of_asyncio, name)))
        self.assertEqual(
            calls_of(sync.approvals.awaited), calls_of(of_asyncio.approvals.awaited)
        )
        self.assertEqual(calls_of(sync), calls_of(of_asyncio))

    def test_frames_end_anywhere(self):
        text = "id: 1\r\nevent: a\r\ndata: ü\r\ndata: b\r\n\r\n: c\n\nid: 2\rdata:x\r\r".encode()
        whole = [("1", "a", "ü\nb"), ("2", "", "x")]
        for size in range(1, len(text) + 1):
            parser = FrameParser()
            pieces = [text[start : start + size] for start in range(0, len(text), size)]
            # What follows shows that the last line has ended.
            frames = [frame for piece in [*pieces, b": end\n"] for frame in parser.feed(piece)]
            self.assertEqual([tuple(frame) for frame in frames], whole, size)

    def test_refusals_of_all_forms(self):
        cases = [
            (400, {}, {"error": {"type": "A", "message": "m", "retryAfterMs": 1500}}, ("A", "m", True, 1.5)),
            (422, {}, {"detail": [{"msg": "a"}, {"msg": "b"}]}, ("INVALID_REQUEST", "a; b", False, None)),
            (404, {}, {"title": "Gone", "code": "C", "detail": "d"}, ("C", "d", False, None)),
            (502, {}, None, ("HTTP_502", "The server answered 502.", True, None)),
            (500, {}, None, ("HTTP_500", "The server answered 500.", False, None)),
            (429, {"retry-after": "7"}, None, ("HTTP_429", "The server answered 429.", True, 7.0)),
            (503, {"retry-after": "Thu, 01 Jan 1970 00:16:45 GMT"}, None, ("HTTP_503", "The server answered 503.", True, 5.0)),
        ]
        for status, headers, body, expected in cases:
            error = parse_refusal(status, headers, json.dumps(body).encode(), 1_000)
            facts = (error.code, error.message, error.retryable, error.retry_after_s)
            self.assertEqual(facts, expected)

    def test_an_address_without_a_scheme_is_refused(self):
        with self.assertRaisesRegex(ValueError, "must begin with http"):
            Turnpike("localhost:4400")

    def test_the_types_of_the_document_are_there(self):
        self.assertIn("sessionId", turnpike.types.SessionRecord.__annotations__)


def calls_of(of: object) -> dict[str, list[str]]:
    methods = inspect.getmembers(type(of), inspect.isfunction)
    return {
        name: list(inspect.signature(method).parameters)
        for name, method in methods
        if not name.startswith("_")
    }


if __name__ == "__main__":
    unittest.main()
