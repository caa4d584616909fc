import { describe, expect, it } from '@jest/globals';
import {
  nextAction,
  settleStopReason,
  type DecisionInput,
  type NextAction,
} from './next-action.js';

const state = (more: Partial<DecisionInput>): DecisionInput => ({
  steps: 1,
  limit: undefined,
  lastCall: undefined,
  stopReason: 'end_turn',
  openCalls: 0,
  unanswered: 0,
  canShorten: false,
  output: undefined,
  ...more,
});

const limit = { reason: 'max_turns', refusal: 'the turn reached its limit of 12 model calls' };

const end = (outcome: string, reason: string, exitCode = 0) => ({
  type: 'end',
  ending: { outcome, reason, exitCode },
});

const limited = (reason: string) => end('limited', reason);
const callModel = (step: number) => ({ type: 'call-model', step });
const callLast = (step: number) => ({ type: 'call-last', step });
const refuseTools = (reason: string) => ({ type: 'refuse-tools', reason });
const runTools = { type: 'run-tools' };
const coming = { limit, isDone: false };
const done = { limit, isDone: true };

describe('nextAction', () => {
  it.each<[string, Partial<DecisionInput>, object]>([
    ['a new turn', { steps: 0, stopReason: undefined }, callModel(1)],
    ['an ended reply', { stopReason: 'end_turn' }, end('completed', 'end_turn')],
    ['a stop sequence', { stopReason: 'stop_sequence' }, end('completed', 'stop_sequence')],
    ['open calls', { stopReason: 'tool_use', openCalls: 2 }, runTools],
    ['answered calls', { stopReason: 'tool_use' }, callModel(2)],
    ['answered calls below the limit', { stopReason: 'tool_use', steps: 11 }, callModel(12)],
    [
      'open calls at the limit',
      { stopReason: 'tool_use', openCalls: 2, steps: 12, limit },
      refuseTools(`not run: ${limit.refusal}`),
    ],
    [
      'answered calls at the limit',
      { stopReason: 'tool_use', steps: 12, limit },
      limited('max_turns'),
    ],
    [
      'a limit before the first call',
      { steps: 0, stopReason: undefined, limit },
      limited('max_turns'),
    ],
    [
      'a reply that was cut by the budget',
      { stopReason: 'max_tokens', limit: { ...limit, reason: 'token_budget' } },
      limited('token_budget'),
    ],
    ['a whole reply at the limit', { stopReason: 'end_turn', limit }, end('completed', 'end_turn')],
    ['a pause', { stopReason: 'pause_turn' }, callModel(2)],
    ['a pause with open calls', { stopReason: 'pause_turn', openCalls: 1 }, runTools],
    ['a pause at the limit', { stopReason: 'pause_turn', steps: 12, limit }, limited('max_turns')],
    ['a cut reply', { stopReason: 'max_tokens' }, limited('max_tokens')],
    [
      'a cut reply with calls',
      { stopReason: 'max_tokens', openCalls: 1 },
      refuseTools('not run: the reply was cut off (max_tokens)'),
    ],
    ['a full window', { stopReason: 'context_window' }, limited('context_window')],
    ['a refusal', { stopReason: 'refusal' }, limited('refusal')],
    [
      'a refusal with calls',
      { stopReason: 'refusal', openCalls: 1 },
      refuseTools('not run: the reply was cut off (refusal)'),
    ],
    [
      'answered calls before the last call',
      { stopReason: 'tool_use', steps: 11, lastCall: coming },
      callLast(12),
    ],
    [
      'open calls before the last call',
      { stopReason: 'tool_use', steps: 11, openCalls: 1, lastCall: coming },
      runTools,
    ],
    [
      'a limit that allows no last call',
      { stopReason: 'tool_use', limit: { ...limit, reason: 'timeout' }, lastCall: coming },
      limited('timeout'),
    ],
    [
      'a reply that was cut without an answer, of which one is kept',
      { stopReason: 'max_tokens', lastCall: coming },
      callLast(2),
    ],
    [
      'a last reply that is the object',
      { stopReason: 'end_turn', lastCall: done, output: { type: 'valid', output: { a: 1 } } },
      {
        type: 'end',
        ending: { outcome: 'limited', reason: 'max_turns', exitCode: 0, output: { a: 1 } },
      },
    ],
    [
      'a last reply that is not the object',
      {
        stopReason: 'end_turn',
        lastCall: done,
        output: { type: 'missed', faults: 'a is required' },
      },
      limited('max_turns'),
    ],
    ['the last answer', { stopReason: 'end_turn', lastCall: done }, limited('max_turns')],
    ['the last answer, cut', { stopReason: 'max_tokens', lastCall: done }, limited('max_turns')],
    [
      'a last reply that asks for tools all the same',
      { stopReason: 'tool_use', openCalls: 1, lastCall: done },
      refuseTools(`not run: ${limit.refusal}`),
    ],
    [
      'the same when they are answered',
      { stopReason: 'tool_use', lastCall: done },
      limited('max_turns'),
    ],
    ['a last call that was refused', { stopReason: 'refusal', lastCall: done }, limited('refusal')],
    [
      'a last call that was cut',
      { stopReason: 'failed', lastCall: done },
      end('failed', 'failed', 1),
    ],
    ['a step that was cut', { stopReason: 'interrupted' }, end('failed', 'interrupted', 1)],
  ])('%s', (_name, given, expected) => {
    expect(nextAction(state(given))).toEqual(expected);
  });

  it('never calls the model past the limit, and always ends', () => {
    const reasons = ['tool_use', 'pause_turn'] as const;
    for (const stopReason of reasons) {
      for (const maxTurns of [1, 2, 5]) {
        const limitAt = (steps: number) => (steps < maxTurns ? undefined : limit);
        let loop = state({ steps: 0, stopReason: undefined });
        let action: NextAction = nextAction(loop);
        let calls = 0;
        for (let rounds = 0; action.type !== 'end'; rounds += 1) {
          expect(rounds).toBeLessThan(20);
          if (action.type === 'call-model') {
            calls += 1;
            const limit = limitAt(action.step);
            loop = state({ steps: action.step, stopReason, openCalls: 1, limit });
          } else loop = { ...loop, openCalls: 0 };
          action = nextAction(loop);
        }
        expect(calls).toBe(maxTurns);
      }
    }
  });
});

describe('settleStopReason', () => {
  it.each([
    ['tool_use', false, 'end_turn'],
    ['tool_use', true, 'tool_use'],
    ['end_turn', true, 'tool_use'],
    ['stop_sequence', true, 'tool_use'],
    ['end_turn', false, 'end_turn'],
    ['max_tokens', true, 'max_tokens'],
    ['refusal', true, 'refusal'],
    ['pause_turn', true, 'pause_turn'],
  ] as const)('%s, asking for tools: %s → %s', (reason, asks, settled) => {
    expect(settleStopReason(reason, asks)).toBe(settled);
  });
});
