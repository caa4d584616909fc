"""A turn is submitted once and read whole, wherever connections break."""

from __future__ import annotations

import json
import random
import unittest

from drivers import Async, Sync
from scripted_server import Answer, TurnServer, frames_of, refusal, stream_of
from turnpike import ConnectionLostError, Turnpike, TurnpikeError

FRAMES = frames_of("turn_1", 12)
IDS = [id_ for id_, _, _ in FRAMES]
DOWN = Answer(is_refused=True)


class OfBoth:
    """The cases of both clients."""

    driver: type[Sync]

    def follow(self, server: TurnServer, **options) -> list[str]:
        return self.driver(server.url).follow(**options)

    def test_every_event_comes_once_wherever_connections_break(self):
        whole = len(stream_of(FRAMES))
        chance = random.Random(46)
        for _ in range(25):
            cuts = [chance.randrange(whole) for _ in range(chance.randrange(8))]
            with TurnServer(FRAMES, cuts=cuts, piece=chance.randrange(1, 400)) as server:
                self.assertEqual(self.follow(server), IDS, (cuts, server.cursors))

    def test_goes_on_after_the_last_event_that_was_taken(self):
        with TurnServer(FRAMES, cuts=[400, 400]) as server:
            self.follow(server)
            first, *rest = server.cursors
            self.assertIsNone(first)
            self.assertEqual(len(rest), 2)
            self.assertLessEqual(set(rest), set(IDS))

    def test_begins_after_an_event_that_is_known(self):
        with TurnServer(FRAMES) as server:
            self.assertEqual(self.follow(server, after=IDS[4]), IDS[5:])
            self.assertEqual(server.cursors, [IDS[4]])

    def test_is_over_where_nothing_comes_after_it(self):
        with TurnServer(FRAMES) as server:
            self.assertEqual(self.follow(server, after=IDS[-1]), [])
            self.assertEqual(len(server.requests), 1)

    def test_waits_longer_from_try_to_try_and_starts_anew_when_an_event_came(self):
        with TurnServer(FRAMES, before=[DOWN, DOWN, DOWN, None, DOWN], cuts=[400]) as server:
            driver = self.driver(server.url)
            self.assertEqual(driver.follow(), IDS)
            waits = [(1, 0.125), (2, 0.25), (3, 0.5), (1, 0.125), (2, 0.25)]
            self.assertEqual(driver.retries, waits)

    def test_comes_again_when_the_server_says(self):
        busy = refusal(503, "STORAGE_UNAVAILABLE", retry_after="5")
        with TurnServer(FRAMES, before=[busy]) as server:
            driver = self.driver(server.url)
            self.assertEqual(driver.follow(), IDS)
            self.assertEqual(driver.retries, [(1, 5.0)])

    def test_gives_up_on_a_refusal_with_what_the_server_says(self):
        for status in (400, 401, 404, 410):
            body = {"error": {"type": "NO", "message": "Not so.", "details": {"a": 1}}}
            answer = Answer(status, body=json.dumps(body).encode())
            with TurnServer(FRAMES, before=[answer]) as server:
                with self.assertRaises(TurnpikeError) as raised:
                    self.follow(server)
                error = raised.exception
                facts = (error.code, error.status, error.message, error.retryable, error.details)
                self.assertEqual(facts, ("NO", status, "Not so.", False, {"a": 1}))
                self.assertEqual(len(server.requests), 1)

    def test_gives_up_when_the_server_was_silent_too_long_and_says_where_to_go_on(self):
        with TurnServer(FRAMES, before=[None, *[DOWN] * 100], cuts=[700]) as server:
            driver = self.driver(server.url, max_silence_s=60)
            with self.assertRaises(ConnectionLostError) as raised:
                driver.follow()
            self.assertEqual(raised.exception.turn_id, "turn_1")
            self.assertIn(raised.exception.last_event_id, IDS)
            self.assertTrue(50 < sum(driver.clock.waits) <= 60, driver.clock.waits)

    def test_takes_a_connection_on_which_nothing_comes_for_dead(self):
        with TurnServer(FRAMES, cuts=[400], hangs=True) as server:
            driver = self.driver(server.url, stall_s=0.5)
            self.assertEqual(driver.follow(), IDS)
            self.assertNotEqual(driver.retries, [])

    def test_goes_on_where_a_loop_was_left(self):
        with TurnServer(FRAMES) as server:
            first, second, third = self.driver(server.url).follow_in_two(5)
            self.assertEqual((first, second, third), (IDS[:5], IDS[5:], []))

    def test_gives_up_on_what_answers_everything_and_is_no_turnpike(self):
        with TurnServer(FRAMES, before=[Answer(200, {}, b": hello\n\n")]) as server:
            driver = self.driver(server.url)
            with self.assertRaises(TurnpikeError) as raised:
                driver.follow()
            self.assertEqual((raised.exception.code, driver.retries), ("UNREADABLE_ANSWER", []))

    def test_counts_no_event_as_received_that_cannot_be_read(self):
        for data in (b"null", b"{"):
            body = b"event: chat:delta\nid: turn_1:1.0\ndata: " + data + b"\n\n"
            broken = Answer(200, {"content-type": "text/event-stream"}, body)
            with TurnServer(FRAMES, before=[broken]) as server:
                self.assertEqual(self.follow(server), IDS)

    def test_a_turn_streams_over_its_own_request(self):
        with TurnServer(FRAMES) as server:
            driver = self.driver(server.url, key="tpk_1")
            turn, result = driver.turn(opts={"maxTurns": 3})
            self.assertEqual((turn.turn_id, turn.session_id), ("turn_1", "sess_1"))
            self.assertEqual(turn.disposition, "enqueued; position=2")
            self.assertEqual((result.outcome, result.text[:12]), ("completed", "wörd0 wörd1 "))
            (request,) = server.requests
            self.assertEqual(request.headers["authorization"], "Bearer tpk_1")
            self.assertEqual(
                json.loads(request.body),
                {"sessionId": "sess_1", "message": "Hello", "opts": {"maxTurns": 3}},
            )

    def test_submits_again_under_one_key_until_there_is_an_answer(self):
        gateway = Answer(502, {}, b"<html>")
        later = refusal(503, "STORAGE_UNAVAILABLE", retry_after="5")
        with TurnServer(FRAMES, before=[DOWN, gateway, later]) as server:
            self.driver(server.url).turn()
            first, *others = [request.headers["idempotency-key"] for request in server.requests]
            self.assertEqual(others, [first] * 3)

    def test_has_a_key_of_its_own_for_each_turn_or_that_of_the_caller(self):
        with TurnServer(FRAMES) as server:
            for options in ({}, {}, {"idempotency_key": "mine"}):
                self.driver(server.url).turn(**options)
            first, second, third = [r.headers["idempotency-key"] for r in server.requests]
            self.assertNotEqual(first, second)
            self.assertEqual(third, "mine")

    def test_does_not_wait_for_another_turn_of_the_session(self):
        body = {"error": {"type": "TURN_IN_PROGRESS", "message": "Busy.", "retryable": True}}
        busy = Answer(409, {}, json.dumps(body).encode())
        with TurnServer(FRAMES, before=[DOWN, busy]) as server:
            with self.assertRaises(TurnpikeError) as raised:
                self.driver(server.url).turn()
            self.assertEqual(raised.exception.code, "TURN_IN_PROGRESS")
            self.assertEqual(len(server.requests), 2)

    def test_takes_a_refusal_for_an_answer(self):
        for answer in (refusal(400), refusal(429, retry_after="5"), refusal(500), refusal(503)):
            with TurnServer(FRAMES, before=[answer]) as server:
                with self.assertRaises(TurnpikeError):
                    self.driver(server.url).turn()
                self.assertEqual(len(server.requests), 1)

    def test_does_not_take_a_rate_limit_for_an_answer_where_the_first_one_was_lost(self):
        with TurnServer(FRAMES, before=[DOWN, refusal(429, retry_after="2")]) as server:
            turn, _ = self.driver(server.url).turn()
            self.assertEqual((turn.turn_id, len(server.requests)), ("turn_1", 3))

    def test_gives_up_in_the_end(self):
        with TurnServer(FRAMES, before=[DOWN] * 99) as server:
            with self.assertRaises(ConnectionLostError):
                self.driver(server.url).turn()

    def test_says_so_of_an_answer_that_no_turnpike_gives(self):
        with TurnServer(FRAMES, before=[Answer(200, {}, b"hello")]) as server:
            with self.assertRaises(TurnpikeError) as raised:
                self.driver(server.url).turn()
            self.assertEqual(raised.exception.code, "UNREADABLE_ANSWER")

    def test_an_object_comes_as_it_was_asked_for(self):
        frames = list(FRAMES)
        frames[-2:-2] = [("turn_1:1.99", "output:final", {"output": {"count": 3}})]

        class Count:
            """Has the two methods of a pydantic model."""

            def __init__(self, count: int) -> None:
                self.count = count

            @staticmethod
            def model_json_schema() -> dict:
                return {"type": "object", "properties": {"count": {"type": "integer"}}}

            @staticmethod
            def model_validate(value: dict) -> "Count":
                return Count(**value)

        with TurnServer(frames) as server:
            _, result = self.driver(server.url).turn(output=Count)
            sent = json.loads(server.requests[0].body)
            self.assertEqual(sent["opts"], {"output": {"schema": Count.model_json_schema()}})
            self.assertIsInstance(result.output, Count)
            self.assertEqual(result.output.count, 3)


class SyncTurns(OfBoth, unittest.TestCase):
    driver = Sync

    def test_has_one_reader_at_a_time_and_says_how_to_have_more(self):
        with TurnServer(FRAMES) as server, Turnpike(server.url) as client:
            turn = client.follow("turn_1")
            events = iter(turn)
            next(events)
            with self.assertRaisesRegex(RuntimeError, r"client\.follow\('turn_1'\)"):
                turn.result()

    def test_the_time_that_a_reader_takes_is_not_the_silence_of_the_server(self):
        with TurnServer(FRAMES, cuts=[700]) as server:
            driver = Sync(server.url, max_silence_s=60)
            ids = []
            for event in driver.client.follow("turn_1"):
                ids.append(event["id"])
                driver.clock.time += 1_000
            self.assertEqual(ids, IDS)


class AsyncTurns(OfBoth, unittest.TestCase):
    driver = Async


if __name__ == "__main__":
    unittest.main()
