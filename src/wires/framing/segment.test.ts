import { describe, expect, it } from '@jest/globals';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../events/turn-event.js';
import { followTurn } from './follow-turn.js';
import { openSegment } from './segment.js';
import { startView, type Segment } from './turn-view.js';

const at = (body: TurnEventBody, seq: number): TurnEvent => ({ ...body, attempt: 1, seq, at: '' });
const text = (included: string): TurnEventBody => ({ type: 'text.delta', step: 1, text: included });
const parked = (...approvalIds: string[]): TurnEventBody => ({ type: 'turn.parked', approvalIds });
const resolved = (approvalId: string): TurnEventBody => ({
  type: 'approval.resolved',
  approvalId,
  callId: 'c',
  decision: 'approve',
  by: 'ann',
});
const started = (callId: string): TurnEventBody => ({
  type: 'tool.started',
  callId,
  name: 'task',
  input: {},
});
const ended = (callId: string): TurnEventBody => ({
  type: 'tool.ended',
  callId,
  name: 'task',
  status: 'success',
  output: '',
  durationMs: 1,
});
const child = (callId: string): TurnEventBody => ({
  type: 'subagent.started',
  callId,
  childTurnId: `child-${callId}`,
  agent: 'A',
});
const childEvent = (callId: string, body: TurnEventBody): TurnEventBody => ({
  type: 'subagent.told',
  callId,
  childTurnId: `child-${callId}`,
  event: at(body, 1),
});
const end: TurnEventBody = {
  type: 'turn.ended',
  outcome: 'completed',
  exitCode: 0,
  reason: 'end_turn',
  text: '',
  usage: noUsage,
  durationMs: 1,
};

/**
 * Indexes of the events that a segment includes, and the approvals that the turn waits for after
 * it.
 */
function included(bodies: readonly TurnEventBody[], ...answered: string[]) {
  return saidOf(bodies, openSegment(answered));
}

function saidOf(bodies: readonly TurnEventBody[], opened: Segment) {
  let view = startView(opened);
  const places: number[] = [];
  for (const [index, body] of bodies.entries()) {
    const followed = followTurn(view, at(body, index + 1));
    ({ view } = followed);
    if (followed.isIncluded) places.push(index);
  }
  return { places, phase: view.segment?.phase, waitsFor: view.segment?.waitsFor };
}

describe('the segment of a turn', () => {
  it('says a turn that waits for nobody from its start to its end', () => {
    expect(included([text('a'), text('b'), end])).toEqual({
      places: [0, 1, 2],
      phase: 'over',
      waitsFor: [],
    });
  });

  const asking = [text('a'), parked('x', 'y'), resolved('x'), parked('y'), resolved('y'), end];

  it('ends where the turn waits, and goes on after what was answered', () => {
    expect(included(asking)).toEqual({ places: [0, 1], phase: 'over', waitsFor: ['x', 'y'] });
    expect(included(asking, 'x')).toEqual({ places: [2, 3], phase: 'over', waitsFor: ['y'] });
    expect(included(asking, 'y')).toMatchObject({ places: [2, 3, 4, 5] });
  });

  it('does not end where the turn waits for one of several answers that it has', () => {
    expect(included(asking, 'x', 'y')).toEqual({
      places: [2, 3, 4, 5],
      phase: 'over',
      waitsFor: [],
    });
  });

  it('says at least the end of a turn that never waited for the answer', () => {
    expect(included([text('a'), end], 'z')).toMatchObject({ places: [1], phase: 'over' });
  });

  it('begins with its answer where nothing is to be said twice', () => {
    const from = (...answered: string[]) => saidOf(asking, openSegment(answered, 'answer'));
    expect(from('x')).toEqual({ places: [2, 3], phase: 'over', waitsFor: ['y'] });
    expect(from('y')).toMatchObject({ places: [4, 5] });
    expect(from('x', 'y')).toMatchObject({ places: [2, 3, 4, 5] });
    expect(from()).toMatchObject({ places: [0, 1] });
    expect(saidOf(delegating, openSegment(['y'], 'answer'))).toMatchObject({
      places: [10, 11, 12],
    });
  });

  const delegating = [
    started('1'),
    child('1'),
    started('2'),
    child('2'),
    childEvent('1', parked('x')),
    childEvent('2', text('b')),
    childEvent('2', parked('y')),
    childEvent('1', resolved('x')),
    childEvent('1', end),
    ended('1'),
    childEvent('2', resolved('y')),
    ended('2'),
    end,
  ];

  it('ends where the last of several subagents waits, and begins after that', () => {
    expect(included(delegating)).toMatchObject({
      places: [0, 1, 2, 3, 4, 5, 6],
      waitsFor: ['x', 'y'],
    });
    expect(included(delegating, 'x', 'y')).toMatchObject({ places: [7, 8, 9, 10, 11, 12] });
  });

  it('waits for the subagent that was not answered once the other is done', () => {
    expect(included(delegating, 'x')).toEqual({
      places: [7, 8, 9],
      phase: 'over',
      waitsFor: ['y'],
    });
  });

  it('does not end while a call runs beside a subagent that waits', () => {
    const events = [
      started('1'),
      child('1'),
      started('2'),
      childEvent('1', parked('x')),
      ended('2'),
    ];
    expect(included(events.slice(0, 4))).toMatchObject({ phase: 'within' });
    expect(included(events)).toMatchObject({ phase: 'over', waitsFor: ['x'] });
  });

  it.each(['pause', 'answer'] as const)('begins with the steered message (%s)', (begins) => {
    const steered: TurnEventBody = {
      type: 'message.joined',
      messageId: 'msg_1',
      afterStep: 1,
      text: 'Mind the tests',
    };
    const { places } = saidOf(
      [parked('a'), { ...steered, messageId: 'msg_0' }, steered, end],
      openSegment(['msg_1'], begins),
    );
    expect(places).toEqual([2, 3]);
  });
});
