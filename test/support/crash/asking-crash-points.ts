import { expect } from '@jest/globals';
import { decisionsOf, hangs, note, statusesOf, success } from './crash-lines.js';
import type { CrashPoint } from './crash-series.js';

/** Lines of calls that must not run twice, for two kills: people are asked about those that may have run. */
export const askingPoints: Readonly<Record<string, CrashPoint>> = {
  again: {
    line: 'while it runs again: it is not known again, and nobody is asked again',
    async *play(scene) {
      const turn = await scene.send(scene.command(hangs), { persona: 'SHELL' });
      await scene.ran(1);
      yield;
      await scene.answer(turn, 'approve', 'unknown-outcome');
      await scene.ran(2);
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('approval:request')).toHaveLength(1);
      expect(statusesOf(turn)).toEqual(['unknown']);
      expect(await scene.runs()).toBe(2);
    },
  },
  approved: {
    line: 'after a person let it run again, before that is noted: it runs once more',
    stops: [note],
    async *play(scene) {
      const turn = await scene.send(scene.command(`[ $(wc -l < approved.txt) = 2 ] || ${hangs}`), {
        persona: 'SHELL',
      });
      await scene.ran(1);
      yield;
      await scene.answer(turn, 'approve', 'unknown-outcome');
      await scene.stopped();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(decisionsOf(turn)).toEqual(['approve']);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(await scene.runs()).toBe(2);
    },
  },
  pending: {
    line: 'while the person is asked: the question stays, and a denial is what the model reads',
    async *play(scene) {
      const turn = await scene.send(scene.command(hangs), { persona: 'SHELL' });
      await scene.ran(1);
      yield;
      await turn.until('approval:request');
      yield;
      expect(await scene.statusOf(turn)).toMatchObject({ status: 'waiting' });
      await scene.answer(turn, 'deny', 'unknown-outcome');
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('approval:request')).toHaveLength(1);
      expect(statusesOf(turn)).toEqual(['unknown']);
      expect(await scene.runs()).toBe(1);
    },
  },
  twice: {
    line: 'of an approved call: it is asked about a second time, and runs once for each yes',
    async *play(scene) {
      const turn = await scene.ask(scene.command(`[ $(wc -l < twice.txt) = 2 ] || ${hangs}`));
      await scene.answer(turn, 'approve');
      await scene.ran(1);
      yield;
      await scene.answer(turn, 'approve', 'unknown-outcome');
      await turn.exit();
      yield;
      const kinds = turn.named('approval:request').map(({ data }) => data['kind']);
      expect(kinds).toEqual(['tool', 'unknown-outcome']);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(await scene.runs()).toBe(2);
    },
  },
};
