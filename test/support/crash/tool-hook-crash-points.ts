import { expect } from '@jest/globals';
import type { FollowedTurn } from '../clients/followed-turn.js';
import type { TestHook } from '../tools/start-hook.js';
import { claim, hangs, question, statusesOf, success } from './crash-lines.js';
import type { CrashPoint } from './crash-series.js';

const shell = { persona: 'SHELL' };

/** Lines of a question to the tool hook. @param hook is asked about calls; `askAboutHeld` has it answer. */
export function toolHookPoints(hook: () => TestHook): Readonly<Record<string, CrashPoint>> {
  const askedAbout = ({ turnId }: FollowedTurn): number =>
    hook()
      .about('bash')
      .filter((one) => one.turnId === turnId).length;
  return {
    unheard: {
      line: 'after the hook has allowed a call, before it is claimed: the hook is asked again, and the call runs once',
      stops: [claim],
      async *play(scene) {
        const turn = await scene.send(scene.command(), shell);
        await scene.stopped();
        expect(await scene.runs()).toBe(0);
        const before = askedAbout(turn);
        yield;
        expect(await turn.exit()).toEqual(success);
        expect(askedAbout(turn)).toBeGreaterThan(before);
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
        expect(askedAbout(turn)).toBe(1);
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
        expect(askedAbout(turn)).toBe(1);
        expect(await scene.runs()).toBe(1);
      },
    },
  };
}
