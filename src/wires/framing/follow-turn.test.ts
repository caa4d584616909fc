import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { recordedTurns } from '../../../test/golden/golden.js';
import { anyTurn } from '../../../test/support/turn/any-turn.js';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../events/turn-event.js';
import { followTurn } from './follow-turn.js';
import { openSegment } from './segment.js';
import { startView, type TurnChange } from './turn-view.js';

function log(...bodies: TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** The changes of a stream's events. */
function changesOf(events: readonly TurnEvent[], view = startView()): TurnChange[] {
  return events.flatMap((event) => {
    const { view: after, changes, isIncluded } = followTurn(deepFreeze(view), deepFreeze(event));
    view = after;
    return isIncluded ? changes : [];
  });
}

const beginnings: readonly TurnChange['type'][] = [
  'step.opened',
  'part.opened',
  'call.requested',
  'input.opened',
  'subagent.started',
];

/** What begins or ends with a change. */
function spanOf(change: TurnChange): string | undefined {
  const { type, owner = '' } = change;
  if (type === 'step.opened' || type === 'step.closed') return `step ${owner}`;
  if (type === 'part.opened' || type === 'part.closed') return `part ${owner}`;
  if (type === 'call.requested' || type === 'input.opened' || type === 'input.closed') {
    return `input ${change.call.key}`;
  }
  if (type === 'subagent.started' || type === 'subagent.closed' || type === 'subagent.ended') {
    return `subagent ${change.event.childTurnId}`;
  }
  return undefined;
}

/** Checks that each thing begins and ends in turns, and grows between. */
function expectWhole(changes: readonly TurnChange[]): void {
  const open = new Set<string>();
  const calls = new Set<string>();
  for (const change of changes) {
    const span = spanOf(change);
    if (span !== undefined) {
      const isEnd = !beginnings.includes(change.type);
      expect([change.type, open.has(span)]).toEqual([change.type, isEnd]);
      if (isEnd) open.delete(span);
      else open.add(span);
    }
    if (change.type === 'part.grown') expect(open).toContain(`part ${change.owner ?? ''}`);
    if (change.type === 'call.grown') expect(open).toContain(`input ${change.call.key}`);
    if (change.type === 'call.requested') calls.add(change.call.key);
    if (change.type === 'call.ended') calls.delete(change.call?.key ?? '');
    if (change.type === 'call.abandoned') calls.delete(change.call.key);
  }
  expect([...open, ...calls]).toEqual([]);
}

/** The reply as a client has it that takes back what is discarded. */
function replyOf(changes: readonly TurnChange[]): string {
  return changes.reduce((reply, change) => {
    if (change.owner !== undefined) return reply;
    if (change.type === 'part.grown' && change.part.kind === 'text') return reply + change.text;
    if (change.type === 'discarded') return reply.slice(0, reply.length - change.text.length);
    return change.type === 'ended' ? reply + change.unsent : reply;
  }, '');
}

describe('the changes of a turn', () => {
  it.each(recordedTurns())('of %s end what they began, and make its reply', (_name, events) => {
    const changes = changesOf(events);
    expectWhole(changes);
    const end = events.at(-1);
    expect(replyOf(changes)).toBe(end?.type === 'turn.ended' ? end.text : undefined);
  });

  it('end what they began, and make its reply, whatever the turn', () => {
    fc.assert(
      fc.property(anyTurn, ({ events }) => {
        const changes = changesOf(events);
        expectWhole(changes);
        const end = events.at(-1);
        expect(replyOf(changes)).toBe(end?.type === 'turn.ended' ? end.text : undefined);
      }),
    );
  });

  it('send the whole input of a call of which nothing was streamed', () => {
    const changes = changesOf(
      log(
        { type: 'step.started', step: 1 },
        { type: 'tool.requested', step: 1, callId: 'c1', name: 'read' },
        { type: 'tool.started', callId: 'c1', name: 'read', input: { a: 1 } },
      ),
    );
    expect(changes).toMatchObject([
      { type: 'step.opened' },
      { type: 'call.requested' },
      { type: 'call.started' },
      { type: 'input.closed', rest: '{"a":1}' },
    ]);
  });
});

const end: TurnEventBody = {
  type: 'turn.ended',
  outcome: 'interrupted',
  exitCode: 0,
  reason: 'interrupt',
  text: 'Half an ans',
  usage: noUsage,
  durationMs: 1,
};

describe('a stream of a segment', () => {
  it('closes no part of the stream before, where it begins with the end of the turn', () => {
    const events = log(
      { type: 'step.started', step: 1 },
      { type: 'text.delta', step: 1, text: 'Half an ans' },
      end,
    );
    const types = changesOf(events, startView(openSegment(['msg_9']))).map(({ type }) => type);
    expect(types).toEqual(['step.closed', 'ended']);
  });

  it('ends where subagents wait, though a call of a step that was taken back had begun', () => {
    const search = { callId: 's1', name: 'web_search' };
    const task = { callId: 'c1', name: 'task' };
    const child = { callId: 'c1', childTurnId: 'turn_2' };
    const [parked] = log({ type: 'turn.parked', approvalIds: ['appr_1'] });
    if (parked === undefined) throw new Error('No event was made');
    const events = log(
      { type: 'step.started', step: 1 },
      { type: 'tool.requested', step: 1, ...search, by: 'provider' },
      { type: 'tool.started', ...search, input: {} },
      { type: 'step.discarded', step: 1 },
      { type: 'step.started', step: 1 },
      { type: 'tool.requested', step: 1, ...task },
      { type: 'tool.started', ...task, input: {} },
      { type: 'subagent.started', ...child, agent: 'A' },
      { type: 'subagent.told', ...child, event: parked },
    );
    const changes = changesOf(events, startView(openSegment()));
    expect(changes.at(-1)).toEqual({ owner: undefined, type: 'parked', waitsFor: ['appr_1'] });
  });
});
