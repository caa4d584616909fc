import { describe, expect, it } from '@jest/globals';
import { recordedTurns } from '../../../../test/golden/golden.js';
import { verifyAgUi } from '../../../../test/support/clients/verify-ag-ui.js';
import { noUsage, type TurnEvent } from '../../../events/turn-event.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import { agUiDialect } from './ag-ui.js';
import { snapshotEvents, type ReadingRun } from './ag-ui-frames.js';

type Json = Record<string, unknown> & { type: string };

/** Questions with an answer in the log, those of subagents included. */
function decidedIn(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'subagent.told') return decidedIn([event.event]);
    return event.type === 'approval.resolved' ? event.approvalId : [];
  });
}

describe.each(recordedTurns())('a client that comes back to %s', (_name, events) => {
  const read = (answered: readonly string[]): Json[] => {
    const encoder = new TurnEncoder(
      agUiDialect({
        threadId: 't',
        runId: 'r',
        turnId: 'turn_1',
        answered,
        from: 'turn',
        state: { type: 'known', value: undefined },
        before: [{ id: 'u1', role: 'user', content: 'Hello' }],
        sendsHistory: true,
        isOld: false,
      }),
      'turn_1',
    );
    return events
      .flatMap((event) => encoder.encode(event))
      .map(({ data }) => JSON.parse(data) as Json);
  };

  it('gets all of it in one run, whatever was answered meanwhile', () => {
    const got = read(decidedIn(events));
    verifyAgUi(got);
    expect(got.slice(0, 2).map(({ type }) => type)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT']);
    expect(got.at(-1)?.['outcome'] ?? {}).not.toMatchObject({ type: 'interrupt' });
    // Outputs of the client's own tools too, which the client lacks.
    const ended = events.flatMap((event) => (event.type === 'tool.ended' ? event.callId : []));
    const results = got.flatMap(({ type, toolCallId }) =>
      type === 'TOOL_CALL_RESULT' ? [toolCallId] : [],
    );
    expect(results).toEqual(expect.arrayContaining(ended));
  });
});

describe('a run without anything new, where no turn runs', () => {
  const reading: ReadingRun = {
    threadId: 't',
    runId: 'r',
    messages: [
      { id: 'u1', role: 'user', content: 'Hello' },
      { id: 'a1', role: 'assistant', content: 'Good day' },
    ],
    state: { mine: 1 },
    last: {
      sessionId: 'sess_1',
      turnId: 'turn_1',
      agent: 'READER',
      model: 'claude-x',
      status: 'completed',
      usage: noUsage,
      contextTokens: 12,
      todos: null,
      notices: [],
    },
  };

  it('is the conversation and the state', () => {
    const events = snapshotEvents(reading);
    verifyAgUi(events);
    expect(events).toMatchObject([
      { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
      { type: 'MESSAGES_SNAPSHOT', messages: reading.messages },
      { type: 'STATE_SNAPSHOT', snapshot: { mine: 1, turnpike: reading.last } },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'success' } },
    ]);
  });

  it('has no turn in the state of a thread without one', () => {
    const events = snapshotEvents({ ...reading, messages: [], state: undefined, last: undefined });
    verifyAgUi(events);
    expect(events[2]).toEqual({ type: 'STATE_SNAPSHOT', snapshot: {} });
  });
});
