import { expect } from '@jest/globals';
import {
  ending,
  hangs,
  interrupted,
  release,
  secondStep,
  success,
  takeOver,
} from './crash-lines.js';
import type { CrashPoint } from './crash-series.js';

/** Crash points of sessions in which turns are held, steered or replaced. */
export const busyPoints: Readonly<Record<string, CrashPoint>> = {
  lined: {
    line: 'while turns are held: they run in order',
    async *play(scene) {
      const { sessionId } = await scene.ask();
      const behind = { sessionId, opts: { onBusy: 'enqueue' } };
      const held = [await scene.send('Second', behind), await scene.send('Third', behind)];
      yield;
      for (const turn of held) {
        expect(await scene.statusOf(turn)).toMatchObject({ status: 'held' });
      }
      await scene.client.post('/api/harness/interrupt', { sessionId });
      for (const turn of held) expect(await turn.exit()).toEqual(success);
      const [second, third] = await Promise.all(held.map((turn) => scene.timesOf(turn)));
      expect(third?.started).toBeGreaterThanOrEqual(second?.ended ?? Infinity);
    },
  },
  behind: {
    line: 'after a turn has ended, before the next is let go: it is let go',
    stops: [{ ...release, tag: 'behind-next' }],
    async *play(scene) {
      const first = await scene.ask();
      const { sessionId } = first;
      const opts = { onBusy: 'enqueue' };
      const next = await scene.send('Next', { sessionId, opts, tag: 'behind-next' });
      await scene.answer(first, 'deny');
      await scene.stopped('behind-next');
      yield;
      expect(await first.exit()).toEqual(success);
      expect(await next.exit()).toEqual(success);
    },
  },
  joined: {
    line: 'after a message is steered: it is delivered',
    async *play(scene) {
      const turn = await scene.ask();
      const { sessionId } = turn;
      await scene.send('Mind the tests', { sessionId, opts: { onBusy: 'steer' } });
      yield;
      await scene.answer(turn, 'deny');
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('message:joined').map(({ data }) => data)).toMatchObject([
        { text: 'Mind the tests (joined)', afterStep: 1 },
      ]);
    },
  },
  heard: {
    line: 'after a message is heard, before its reply is stored: it is part of the next try, told once',
    stops: [secondStep],
    async *play(scene) {
      const turn = await scene.ask();
      const { sessionId } = turn;
      await scene.send('Mind the tests', { sessionId, opts: { onBusy: 'steer' } });
      await scene.answer(turn, 'deny');
      await scene.stopped();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('message:joined')).toHaveLength(1);
      const { body } = await scene.client.get(`/api/harness/sessions/${sessionId}/messages`);
      expect(JSON.stringify(body).split('Mind the tests')).toHaveLength(2);
    },
  },
  superseded: {
    line: 'while a superseded turn is being ended: it ends, and the other runs',
    stops: [{ ...ending, tag: 'superseded-first' }],
    async *play(scene) {
      const tag = 'superseded-first';
      const first = await scene.send(scene.command(hangs), { persona: 'SHELL', tag });
      await scene.ran(1);
      const { sessionId } = first;
      const next = await scene.send('Next', { sessionId, opts: { onBusy: 'interrupt' } });
      await scene.stopped(tag);
      yield;
      expect(await first.exit()).toEqual(interrupted);
      expect((await first.until('turn:end')).data).toMatchObject({ reason: 'superseded' });
      expect(await next.exit()).toEqual(success);
      expect(await scene.runs()).toBe(1);
    },
  },
  replaced: {
    line: 'after a held turn was superseded, before it has ended: it ends, and the other runs',
    stops: [
      { ...ending, tag: 'replaced-first' },
      { ...takeOver, tag: 'replaced-held' },
    ],
    async *play(scene) {
      const sent = { persona: 'SHELL', tag: 'replaced-first' };
      const first = await scene.send(scene.command(hangs), sent);
      await scene.ran(1);
      const next = { sessionId: first.sessionId, opts: { onBusy: 'interrupt' }, key: 'k' };
      const held = await scene.send('Held', { ...next, tag: 'replaced-held', key: 'h' });
      await scene.stopped('replaced-first');
      // The replacing turn is accepted, though the replaced one cannot be ended yet.
      await scene.send('Next', next);
      yield;
      const again = await scene.send('Next', next);
      expect(await first.exit()).toEqual(interrupted);
      expect(await held.exit()).toEqual(interrupted);
      expect(await again.exit()).toEqual(success);
      expect(await scene.runs()).toBe(1);
    },
  },
};
