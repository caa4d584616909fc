import { expect } from '@jest/globals';
import type { FollowedTurn } from '../clients/followed-turn.js';
import { ending, repair, secondStep, success } from './crash-lines.js';
import type { CrashPoint } from './crash-series.js';
import type { CrashScene } from './crash-scene.js';

const output = {
  schema: { type: 'object', properties: { count: { type: 'integer', minimum: 2 } } },
};
const repaired = '[[output={"count":1} step=1]] [[output={"count":2} step=2]]';

/** The turn's one object, wherever it is read; and how often the model was told of a reply that was none. */
async function expectOneObject(scene: CrashScene, turn: FollowedTurn, repairs: number) {
  expect(await turn.exit()).toEqual(success);
  const object = { count: 2 };
  expect(turn.named('output:final').map(({ data }) => data)).toEqual([{ output: object }]);
  expect(await scene.statusOf(turn)).toMatchObject({ status: 'completed', output: object });
  const kinds = turn.named('system:notice').map(({ data }) => data['kind']);
  expect(kinds.filter((kind) => kind === 'output-repair')).toHaveLength(repairs);
}

/** Crash points of turns that are to end with an object. */
export const outputPoints: Readonly<Record<string, CrashPoint>> = {
  missed: {
    line: 'after a reply that is no object, before the model is told: it is told once, and one object comes',
    stops: [repair],
    async *play(scene) {
      const turn = await scene.send(repaired, { opts: { output } });
      await scene.stopped();
      expect(turn.named('output:final')).toEqual([]);
      yield;
      await expectOneObject(scene, turn, 1);
    },
  },
  repairing: {
    line: 'in the middle of a repair: it is made again, and one object comes',
    stops: [secondStep],
    async *play(scene) {
      const turn = await scene.send(repaired, { opts: { output } });
      await scene.stopped();
      expect(turn.named('output:final')).toEqual([]);
      yield;
      await expectOneObject(scene, turn, 1);
    },
  },
  objective: {
    line: 'before the end with its object is stored: one object comes',
    stops: [ending],
    async *play(scene) {
      const turn = await scene.send('[[output={"count":2}]]', { opts: { output } });
      await scene.stopped();
      expect(turn.named('output:final')).toEqual([]);
      yield;
      await expectOneObject(scene, turn, 0);
    },
  },
};
