import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claim, hangs, question, statusesOf, success } from '../support/crash/crash-lines.js';
import { CrashSeries, type CrashPoint } from '../support/crash/crash-series.js';
import { startHook, type TestHook } from '../support/tools/start-hook.js';

let hook: TestHook;
const askedAbout = (turnId: string): number =>
  hook.about('bash').filter((one) => one.turnId === turnId).length;

const shell = { persona: 'SHELL' };

const points: Record<string, CrashPoint> = {
  unheard: {
    line: 'after the hook has allowed a call, before it is claimed: the hook is asked again, and the call runs once',
    stops: [claim],
    async *play(scene) {
      const turn = await scene.send(scene.command(), shell);
      await scene.stopped();
      expect(await scene.runs()).toBe(0);
      const before = askedAbout(turn.turnId);
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(askedAbout(turn.turnId)).toBe(before + 1);
      expect(await scene.runs()).toBe(1);
    },
  },
  permitted: {
    line: 'while an allowed call runs: the hook is not asked again, and the call does not run again',
    async *play(scene) {
      const turn = await scene.send(scene.command(hangs), shell);
      await scene.ran(1);
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['unknown']);
      expect(askedAbout(turn.turnId)).toBe(1);
      expect(await scene.runs()).toBe(1);
    },
  },
  unposed: {
    line: 'before the hook’s question to a person is stored: the person is asked once',
    stops: [question],
    async *play(scene) {
      const turn = await scene.send(scene.command('echo held-back'), shell);
      await scene.stopped();
      yield;
      await scene.answer(turn, 'approve');
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('approval:request')).toHaveLength(1);
      expect(await scene.runs()).toBe(1);
    },
  },
  posed: {
    line: 'while a person is asked for the hook: the hook is not asked again, and the answer counts',
    async *play(scene) {
      const turn = await scene.send(scene.command('echo held-back'), shell);
      await turn.until('approval:request');
      yield;
      await scene.answer(turn, 'approve');
      expect(await turn.exit()).toEqual(success);
      expect(askedAbout(turn.turnId)).toBe(1);
      expect(await scene.runs()).toBe(1);
    },
  },
};

describe('kill -9 around a question to the tool hook', () => {
  let series: CrashSeries;
  beforeAll(async () => {
    hook = await startHook();
    hook.receiver.answer = (response, { text }) => {
      const decision = text.includes('held-back') ? 'ask' : 'allow';
      response.writeHead(200).end(JSON.stringify({ decision }));
    };
    series = new CrashSeries({ points, kills: 1, environment: hook.environment });
    await series.open();
  }, 300_000);
  afterAll(async () => {
    await series.close();
    await hook.receiver.close();
  });

  it.each(Object.entries(points).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
