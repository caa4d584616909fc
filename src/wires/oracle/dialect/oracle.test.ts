import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { golden, recordedTurns } from '../../../../test/golden/golden.js';
import { parseCursor } from '../../../events/cursor.js';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../../events/turn-event.js';
import { type FrameWithCursor, formatFrame } from '../../framing/dialect.js';
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

function log(...bodies: TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));
}

/** Indexes of the chunks of a type. */
function places(chunks: readonly OracleChunk[], type: OracleChunk['type']): number[] {
  return chunks.flatMap((chunk, index) => (chunk.type === type ? [index] : []));
}

describe.each(recordedTurns())('the oracle wire of %s', (name, events) => {
  const frames = encode(events);
  const chunks = chunksOf(events);

  it('is what it was', () => {
    const text = frames.map(formatFrame).join('');
    expect(text).toBe(golden(`./oracle/${name}.txt`, text));
  });

  it('ends once, with done or with an error', () => {
    const ends = chunks.filter(({ type }) => type === 'done');
    const last = chunks.at(-1)?.type;
    expect([last, ends.length]).toEqual(last === 'error' ? ['error', 0] : ['done', 1]);
  });

  it('has no event name, no null, and every frame on one line at a place of its own', () => {
    expect(new Set(frames.map((frame) => frame.id)).size).toBe(frames.length);
    for (const frame of frames) {
      expect(frame.event).toBeUndefined();
      expect(frame.data).not.toMatch(/[\r\n]/);
      for (const value of Object.values(JSON.parse(frame.data) as object)) {
        expect(value).not.toBeNull();
      }
    }
  });

  it('tells of every call before its result, and of sources after the content', () => {
    const calls = chunks.flatMap((c) => (c.type === 'tool_call' ? [c.tool_call.id] : []));
    const results = chunks.flatMap((c) => (c.type === 'tool_result' ? [c.tool_call_id] : []));
    expect(calls.toSorted()).toEqual(results.toSorted());
    for (const [index, chunk] of chunks.entries()) {
      if (chunk.type !== 'tool_result') continue;
      const before = chunks.slice(0, index);
      const isAnnounced = before.some(
        (c) => c.type === 'tool_call' && c.tool_call.id === chunk.tool_call_id,
      );
      expect([chunk.tool_call_id, isAnnounced]).toEqual([chunk.tool_call_id, true]);
    }
    const lastContent = Math.max(-1, ...places(chunks, 'content'));
    for (const place of places(chunks, 'source')) expect(place).toBeGreaterThan(lastContent);
  });

  it('goes on after any frame with the rest, and nothing twice', () => {
    for (const [index, frame] of frames.entries()) {
      expect(encode(events, frame.id)).toEqual(frames.slice(index + 1));
    }
  });
});

const started: TurnEventBody = {
  type: 'turn.started',
  sessionId: 'sess_1',
  messageId: 'msg_1',
  agent: 'A',
  model: 'm',
  providerSessionId: 'claude_1',
  resumed: false,
  contextWindow: 1_000,
  maxTurns: 10,
};

const usage = { inputTokens: 5, cacheReadTokens: 10, cacheWriteTokens: 20, outputTokens: 5 };

function ended(more: Partial<Extract<TurnEventBody, { type: 'turn.ended' }>>): TurnEventBody {
  return {
    type: 'turn.ended',
    outcome: 'completed',
    exitCode: 0,
    reason: 'end_turn',
    text: '',
    usage,
    durationMs: 1,
    ...more,
  };
}

const text = (step: number, content: string): TurnEventBody => ({
  type: 'text.delta',
  step,
  text: content,
});

const stepEnded = (step: number, inputTokens: number): TurnEventBody => ({
  type: 'step.ended',
  step,
  stopReason: 'tool_use',
  usage: { ...noUsage, inputTokens },
});

describe('the end on the oracle wire', () => {
  it('is done, with what the turn cost and where the conversation goes on', () => {
    expect(chunksOf(log(started, stepEnded(1, 40), ended({})))).toEqual([
      {
        type: 'done',
        answer: '',
        tokens_used: 30,
        model_used: 'm',
        context_id: 'sess_1',
        context_tokens: 40,
        max_context_tokens: 1_000,
      },
    ]);
  });

  it.each([
    ['max_turns', 'max_iterations'],
    ['token_budget', 'token_budget'],
    ['timeout', 'timeout'],
    ['no_progress', 'no_progress'],
    ['error_limit', 'error_limit'],
    ['max_tokens', 'max_tokens'],
    ['refusal', 'refusal'],
  ])('says of the limit %s that it was %s', (reason, word) => {
    const [done] = chunksOf(log(started, stepEnded(4, 1), ended({ outcome: 'limited', reason })));
    expect(done).toMatchObject({
      type: 'done',
      metadata: { termination_reason: word, turns_used: 4, max_turns: 10 },
    });
  });

  it('is an error and then done for a turn that was cancelled', () => {
    const chunks = chunksOf(log(started, ended({ outcome: 'interrupted', reason: 'interrupt' })));
    expect(chunks).toEqual([
      { type: 'error', error: expect.stringMatching(/^Cancelled/) },
      expect.objectContaining({
        type: 'done',
        context_id: 'sess_1',
        metadata: { termination_reason: 'cancelled', turns_used: 0, max_turns: 10 },
      }),
    ]);
  });

  it('is the public message of a failure, and no more', () => {
    const failed: TurnEventBody = {
      type: 'turn.failed',
      phase: 'mid-stream',
      errorType: 'SDK_FAILURE',
      message: 'The provider is overloaded',
      status: 529,
      severity: 'error',
      fatal: true,
      retryable: true,
      retryAfterMs: 2_000,
      requestId: 'req_1',
    };
    const end = ended({ outcome: 'failed', reason: 'SDK_FAILURE' });
    expect(chunksOf(log(started, failed, end))).toEqual([
      {
        type: 'error',
        error: 'The provider is overloaded',
        context_id: 'sess_1',
        metadata: {
          termination_reason: 'SDK_FAILURE',
          status: 529,
          retryable: true,
          retryAfterMs: 2_000,
          requestId: 'req_1',
        },
      },
    ]);
  });

  it('has what the deltas did not say, whatever they said, and nothing twice', () => {
    const steps = fc.array(fc.array(fc.string(), { maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(steps, fc.string(), (written, note) => {
        const reply = written.flat().join('') + note;
        const deltas = written.flatMap((parts, step) => parts.map((part) => text(step + 1, part)));
        const chunks = chunksOf(log(started, ...deltas, ended({ text: reply })));
        const content = chunks.map((chunk) => (chunk.type === 'content' ? chunk.content : ''));
        expect(content.join('')).toBe(reply);
      }),
    );
  });

  it('does not count what a discarded step had said', () => {
    const events = log(
      started,
      text(1, 'One. '),
      text(2, 'Two and a h'),
      { type: 'step.discarded', step: 2 },
      text(2, 'Two.'),
      ended({ text: 'One. Two. [note]' }),
    );
    const chunks = chunksOf(events);
    const content = chunks.flatMap((c) => (c.type === 'content' ? [c.content] : []));
    expect(content).toEqual(['One. ', 'Two and a h', 'Two.', ' [note]']);
    expect(chunks.at(-1)).toMatchObject({ type: 'done', answer: 'One. Two. [note]' });
  });

  it('says once that content is void, and what stays, where any was said', () => {
    const discarded = (step: number): TurnEventBody => ({ type: 'step.discarded', step });
    const events = log(started, text(1, 'One. '), text(2, 'Tw'), discarded(2), discarded(2));
    expect(chunksOf(events).slice(2)).toEqual([
      {
        type: 'system',
        system_type: 'content_discarded',
        system_message: expect.stringContaining('may come again'),
        metadata: { content: 'One. ' },
      },
    ]);
    expect(chunksOf(log(started, discarded(1)))).toEqual([]);
  });
});

describe('the oracle wire', () => {
  it.each([
    ['iteration-limit', 'limit_warning'],
    ['token-limit', 'limit_warning'],
    ['time-limit', 'limit_warning'],
    ['limit-reached', 'limit_reached'],
    ['no-progress', 'no_progress'],
    ['error-limit', 'error_limit'],
    ['tool-limit', 'tool_limit'],
    ['options-ignored', 'options_ignored'],
    ['constructor', undefined],
  ])('has for a notice of kind %s the type %s', (kind, type) => {
    const metadata = { current_value: 7 };
    const notice = { kind, level: 'step', text: 'Words', metadata, seenByModel: true } as const;
    const chunks = chunksOf(log({ type: 'notice.posted', ...notice }));
    expect(chunks).toEqual(
      type === undefined
        ? []
        : [{ type: 'system', system_type: type, system_message: 'Words', metadata }],
    );
  });

  it('says the context when it moved by a twentieth of the window, up or down', () => {
    const tokens = [49, 50, 99, 100, 51, 50, 0];
    const steps = tokens.map((count, index) => stepEnded(index + 1, count));
    const sent = chunksOf(log(started, ...steps)).map((chunk) =>
      chunk.type === 'context_update' ? chunk.context_tokens : chunk.type,
    );
    expect(sent).toEqual([50, 100, 50]);
    const { contextWindow: _unknown, ...windowless } = started;
    expect(chunksOf(log(windowless, ...steps))).toEqual([]);
  });

  it('numbers calls over the turn, and not those of a discarded step', () => {
    const asked = (step: number, callId: string): TurnEventBody => ({
      type: 'tool.requested',
      step,
      callId,
      name: 'read',
    });
    const answered = (callId: string): TurnEventBody => ({
      type: 'tool.ended',
      callId,
      name: 'read',
      status: 'success',
      output: '',
      durationMs: 0,
    });
    const events = log(
      asked(1, 'a'),
      asked(1, 'b'),
      answered('b'),
      answered('a'),
      asked(2, 'lost'),
      { type: 'step.discarded', step: 2 },
      asked(2, 'c'),
      answered('c'),
    );
    const orders = chunksOf(events).flatMap((chunk) =>
      chunk.type === 'tool_result' ? [[chunk.tool_call_id, chunk.metadata.order]] : [],
    );
    expect(orders).toEqual([
      ['b', 1],
      ['a', 0],
      ['c', 2],
    ]);
  });

  it('names at most three running tools, and once for all of them', () => {
    const calls = ['a', 'b', 'c', 'd'].flatMap((callId): TurnEventBody[] => [
      { type: 'tool.requested', step: 1, callId, name: `tool_${callId}` },
      { type: 'tool.started', callId, name: `tool_${callId}`, input: {} },
    ]);
    const progress = (callId: string): TurnEventBody => ({
      type: 'tool.progress',
      callId,
      note: '',
      elapsedMs: 10_004,
    });
    const statuses = chunksOf(log(...calls, progress('a'), progress('b'))).flatMap((chunk) =>
      chunk.type === 'status' ? [chunk.message] : [],
    );
    expect(statuses).toEqual(['Running: tool_a, tool_b, tool_c and 1 more (10s)']);
  });

  it('cuts results at 2,000 characters and snippets at 500, and no character in two', () => {
    const wide = '\u{1F600}'.repeat(1_500);
    const cite = (citedText: string): TurnEventBody => ({
      type: 'source.cited',
      step: 1,
      source: { type: 'web', title: '', url: 'https://a.example/', citedText },
    });
    const chunks = chunksOf(
      log(
        started,
        cite(`x${wide}`),
        { type: 'tool.requested', step: 1, callId: 'c', name: 'read' },
        {
          type: 'tool.ended',
          callId: 'c',
          name: 'read',
          status: 'success',
          output: `x${wide}`,
          durationMs: 0,
        },
        ended({}),
      ),
    );
    expect(chunks[1]).toMatchObject({ tool_result: `x${'\u{1F600}'.repeat(999)}` });
    expect(chunks[2]).toEqual({
      type: 'source',
      source: {
        path: 'https://a.example/',
        source_type: 'vault',
        snippet: `x${'\u{1F600}'.repeat(249)}`,
        metadata: { type: 'web', url: 'https://a.example/' },
      },
    });
  });
});
