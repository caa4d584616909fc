import { describe, expect, it } from '@jest/globals';
import { recordedTurns, testRecordedStreams } from '../../../../test/golden/golden.js';
import { parseCursor } from '../../../events/cursor.js';
import { noUsage, type TurnEvent } from '../../../events/turn-event.js';
import type { FrameWithCursor } from '../../framing/dialect.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import type { OracleChunk } from './oracle-frames.js';
import { oracleDialect } from './oracle.js';

const turnId = 'turn_1';

function encode(events: readonly TurnEvent[], after?: string): FrameWithCursor[] {
  const cursor = after === undefined ? undefined : parseCursor(turnId, after);
  const encoder = new TurnEncoder(oracleDialect, turnId, cursor);
  return events.flatMap((event) => encoder.encode(event));
}

const chunksOf = (events: readonly TurnEvent[]): OracleChunk[] =>
  encode(events).map((frame) => JSON.parse(frame.data) as OracleChunk);

/** Indexes of the chunks of a type. */
function places(chunks: readonly OracleChunk[], type: OracleChunk['type']): number[] {
  return chunks.flatMap((chunk, index) => (chunk.type === type ? [index] : []));
}

describe.each(recordedTurns())('the oracle wire of %s', (name, events) => {
  const frames = encode(events);
  const chunks = chunksOf(events);
  testRecordedStreams(`oracle/${name}`, [{ frames, resume: (after) => encode(events, after) }]);

  it('ends once, with done or with an error', () => {
    const ends = chunks.filter(({ type }) => type === 'done');
    const last = chunks.at(-1)?.type;
    expect([last, ends.length]).toEqual(last === 'error' ? ['error', 0] : ['done', 1]);
  });

  it('has no event names and no nulls', () => {
    for (const frame of frames) {
      expect(frame.event).toBeUndefined();
      expect(Object.values(JSON.parse(frame.data) as object)).not.toContain(null);
    }
  });

  it('has every call before its result, and sources after the content', () => {
    for (const [index, chunk] of chunks.entries()) {
      if (chunk.type !== 'tool_result') continue;
      const calls = chunks
        .slice(0, index)
        .flatMap((before) => (before.type === 'tool_call' ? before.tool_call.id : []));
      expect(calls).toContain(chunk.tool_call_id);
    }
    const lastContent = Math.max(-1, ...places(chunks, 'content'));
    for (const place of places(chunks, 'source')) expect(place).toBeGreaterThan(lastContent);
  });
});

it.each([
  ['max_turns', 'max_iterations'],
  ['token_budget', 'token_budget'],
  ['timeout', 'timeout'],
  ['no_progress', 'no_progress'],
  ['error_limit', 'error_limit'],
  ['max_tokens', 'max_tokens'],
  ['refusal', 'refusal'],
])('the oracle wire calls the limit %s %s', (reason, word) => {
  const end = { outcome: 'limited', exitCode: 0, reason, text: '', usage: noUsage } as const;
  const [done] = chunksOf([
    { type: 'turn.ended', ...end, durationMs: 1, attempt: 1, seq: 1, at: '' },
  ]);
  expect(done).toMatchObject({ type: 'done', metadata: { termination_reason: word } });
});
