import { expect } from '@jest/globals';
import { expectSoon } from '../expect-soon.js';
import {
  claim,
  decisionsOf,
  ending,
  hangs,
  interrupted,
  note,
  question,
  result,
  secondAttempt,
  secondStep,
  statusesOf,
  success,
} from './crash-lines.js';
import type { CrashPoint } from './crash-series.js';

/** Lines of the way of a turn that asks, runs a command and goes on, whoever has the model. */
export const callPoints: Readonly<Record<string, CrashPoint>> = {
  unasked: {
    line: 'before the question is stored: it is asked, once',
    stops: [question],
    async *play(scene) {
      const turn = await scene.send(scene.command());
      await scene.stopped();
      expect(turn.named('approval:request')).toEqual([]);
      yield;
      await scene.answer(turn, 'approve');
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('approval:request')).toHaveLength(1);
      expect(await scene.runs()).toBe(1);
    },
  },
  asked: {
    line: 'while it waits: it waits on, with nobody’s help, and is answered elsewhere',
    async *play(scene) {
      const turn = await scene.ask();
      yield;
      expect(await scene.statusOf(turn)).toMatchObject({ status: 'waiting', attempt: 1 });
      expect(await scene.runs()).toBe(0);
      expect(await scene.answer(turn, 'approve')).toMatchObject({ status: 200 });
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('turn:recovering')).toEqual([]);
      expect(await scene.statusOf(turn)).toMatchObject({ attempt: 2 });
      expect(await scene.runs()).toBe(1);
    },
  },
  answered: {
    line: 'after the answer, before any worker has it: the answer counts',
    stops: [secondAttempt],
    async *play(scene) {
      const turn = await scene.ask();
      expect(await scene.answer(turn, 'approve')).toMatchObject({ status: 200 });
      expect(await scene.statusOf(turn)).toMatchObject({ status: 'running', attempt: 1 });
      expect(await scene.runs()).toBe(0);
      yield;
      expect(await turn.exit()).toEqual(success);
      await expectSoon(() => expect(decisionsOf(turn)).toEqual(['approve']));
      expect(await scene.runs()).toBe(1);
    },
  },
  declined: {
    line: 'after a denial, before any worker has it: nothing runs',
    stops: [secondAttempt],
    async *play(scene) {
      const turn = await scene.ask();
      await scene.answer(turn, 'deny');
      expect(await scene.statusOf(turn)).toMatchObject({ status: 'running', attempt: 1 });
      yield;
      expect(await turn.exit()).toEqual(success);
      expect([decisionsOf(turn), statusesOf(turn)]).toEqual([['deny'], ['denied']]);
      expect(await scene.runs()).toBe(0);
    },
  },
  unnoted: {
    line: 'after the claim, before the decision is noted: it is noted and told once',
    stops: [note],
    async *play(scene) {
      const turn = await scene.ask();
      await scene.answer(turn, 'approve');
      await scene.stopped();
      expect(decisionsOf(turn)).toEqual([]);
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(decisionsOf(turn)).toEqual(['approve']);
      expect(await scene.runs()).toBe(1);
    },
  },
  noted: {
    line: 'after the decision is noted, before the call is claimed: it runs, and the session’s leave holds',
    stops: [claim],
    async *play(scene) {
      const turn = await scene.ask();
      await scene.answer(turn, 'approve-session');
      await scene.stopped();
      await expectSoon(() => expect(decisionsOf(turn)).toEqual(['approve-session']));
      expect(await scene.runs()).toBe(0);
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(decisionsOf(turn)).toEqual(['approve-session']);
      expect(await scene.runs()).toBe(1);
      const again = await scene.send(scene.command(), { sessionId: turn.sessionId });
      expect(await again.exit()).toEqual(success);
      expect(again.named('approval:request')).toEqual([]);
      expect(await scene.runs()).toBe(2);
    },
  },
  given: {
    line: 'after a client’s output is noted, before it is stored as the result: it is, and nobody is asked again',
    stops: [result],
    async *play(scene) {
      const clientTools = [
        { name: 'pick', description: 'Picks.', inputSchema: { type: 'object', properties: {} } },
      ];
      const turn = await scene.ask('[[tool=pick {}]]', { opts: { clientTools } });
      await scene.answer(turn, 'answer', 'client-tool', { output: 'red' });
      await scene.stopped();
      await expectSoon(() => expect(decisionsOf(turn)).toEqual(['answer']));
      yield;
      expect(await turn.exit()).toEqual(success);
      expect([decisionsOf(turn), statusesOf(turn)]).toEqual([['answer'], ['success']]);
      expect(turn.named('tool:result')[0]?.data['output']).toBe('red');
      expect(turn.named('approval:request')).toHaveLength(1);
      expect(turn.named('turn:parked')).toHaveLength(1);
    },
  },
  running: {
    line: 'while the approved call runs: it is not run again, and the model is told',
    async *play(scene) {
      const turn = await scene.ask(scene.command(hangs));
      await scene.answer(turn, 'approve');
      await scene.ran(1);
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['unknown']);
      expect(turn.named('approval:request')).toHaveLength(1);
      expect(turn.named('chat:complete')[0]?.data['text']).toContain('is not known');
      expect(await scene.runs()).toBe(1);
    },
  },
  unstored: {
    line: 'after the call, before its result is stored: it is not run again',
    stops: [result],
    async *play(scene) {
      const turn = await scene.ask();
      await scene.answer(turn, 'approve');
      await scene.stopped();
      expect(await scene.runs()).toBe(1);
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['unknown']);
      expect(await scene.runs()).toBe(1);
    },
  },
  stored: {
    line: 'after the result is stored: it is kept',
    stops: [secondStep],
    async *play(scene) {
      const turn = await scene.ask();
      await scene.answer(turn, 'approve');
      await scene.stopped();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(await scene.runs()).toBe(1);
    },
  },
  unclaimed: {
    line: 'before a call that asks nobody is claimed: it runs',
    stops: [claim],
    async *play(scene) {
      const turn = await scene.send(scene.command(), { persona: 'SHELL' });
      await scene.stopped();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(await scene.runs()).toBe(1);
    },
  },
  harmless: {
    line: 'before the result of a safe call is stored: it runs again, under one id',
    stops: [result],
    async *play(scene) {
      const turn = await scene.send('[[tool=glob {"pattern":"*.txt"}]]');
      await scene.stopped();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(turn.named('tool:start')).toHaveLength(1);
    },
  },
  late: {
    line: 'the deadline passes while no process is alive: the default is decided',
    async *play(scene) {
      const turn = await scene.ask();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(turn.named('approval:resolve').map(({ data }) => data)).toMatchObject([
        { decision: 'deny', by: 'deadline' },
      ]);
      expect(await scene.answer(turn, 'approve')).toMatchObject({ status: 409 });
      expect(await scene.runs()).toBe(0);
    },
  },
  unwanted: {
    line: 'after a waiting turn is asked to end: it ends, and its question with it',
    stops: [secondAttempt],
    async *play(scene) {
      const turn = await scene.ask();
      await scene.client.post('/api/harness/interrupt', { sessionId: turn.sessionId });
      expect(await scene.statusOf(turn)).toMatchObject({ attempt: 1 });
      yield;
      expect(await turn.exit()).toEqual(interrupted);
      expect(decisionsOf(turn)).toEqual(['cancelled']);
      expect(await scene.answer(turn, 'approve')).toMatchObject({ status: 409 });
      expect(await scene.runs()).toBe(0);
    },
  },
  unended: {
    line: 'while a waiting turn is being ended: the same',
    stops: [ending],
    async *play(scene) {
      const turn = await scene.ask();
      await scene.client.post('/api/harness/interrupt', { sessionId: turn.sessionId });
      await scene.stopped();
      expect(decisionsOf(turn)).toEqual([]);
      yield;
      expect(await turn.exit()).toEqual(interrupted);
      expect(decisionsOf(turn)).toEqual(['cancelled']);
      expect(await scene.runs()).toBe(0);
    },
  },
};
