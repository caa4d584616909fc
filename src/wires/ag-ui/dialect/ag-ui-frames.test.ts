import { describe, expect, it } from '@jest/globals';
import { EventSchemas } from 'ag-ui-client-before-1';
import { recordedTurns } from '../../../../test/golden/golden.js';
import { type TurnEvent, noUsage } from '../../../events/turn-event.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import { agUiDialect } from './ag-ui.js';
import { toOldEvent, addCall } from './ag-ui-frames.js';

function encode(events: readonly TurnEvent[], isOld: boolean): object[] {
  const run = agUiDialect({
    threadId: 't',
    runId: 'r',
    turnId: 'turn_1',
    answered: [],
    from: 'answers',
    state: { type: 'known', value: {} },
    before: [],
    sendsHistory: false,
    isOld,
  });
  const encoder = new TurnEncoder(run, 'turn_1');
  return events
    .flatMap((event) => encoder.encode(event))
    .map(({ data }) => JSON.parse(data) as object);
}

describe.each(recordedTurns())('%s for a client of the protocol before 1.0', (_name, events) => {
  it('is what that client takes', () => {
    for (const event of encode(events, true)) EventSchemas.parse(event);
  });

  it('differs in its end alone', () => {
    const [old, today] = [encode(events, true), encode(events, false)];
    expect(old.slice(0, -1)).toEqual(today.slice(0, -1));
  });
});

const finished = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' } as const;

it.each([
  ['a cancelled run', { type: 'cancelled' as const }, undefined],
  [
    'calls that wait for the client',
    { type: 'success' as const, pendingToolCallIds: ['c1'] },
    { pendingToolCallIds: ['c1'] },
  ],
])('says %s in the metadata, as the outcome is refused', (_name, outcome, turnpike) => {
  const metadata = { turnpike: { outcome: 'interrupted' } };
  const event = {
    ...finished,
    usage: [],
    outcome,
    ...(turnpike === undefined ? { metadata } : {}),
  };
  expect(EventSchemas.safeParse(event).success).toBe(false);
  const old = toOldEvent(event);
  expect(EventSchemas.parse(old)).toMatchObject(
    turnpike === undefined ? { metadata } : { outcome: { type: 'success' } },
  );
  expect(old).toMatchObject({ metadata: { turnpike: turnpike ?? metadata.turnpike } });
});

describe('addCall', () => {
  it('counts cached input as a part of the input, for each model', () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const counted = {
      model: 'm',
      inputTokens: 8,
      outputTokens: 2,
      totalTokens: 10,
      cachedInputTokens: 3,
      cacheWriteInputTokens: 4,
    };
    expect(addCall([], 'm', usage)).toEqual([counted]);
    expect(addCall([counted], 'other', usage)).toHaveLength(2);
    expect(addCall([counted], 'm', usage)[0]).toMatchObject({ totalTokens: 20 });
  });

  it('tells of thinking where some call said it', () => {
    const thought = addCall([], 'm', { ...noUsage, outputTokens: 9, thinkingTokens: 5 });
    expect(thought[0]).toMatchObject({ reasoningTokens: 5 });
    expect(addCall(thought, 'm', { ...noUsage, outputTokens: 1 })[0]?.reasoningTokens).toBe(5);
  });
});
