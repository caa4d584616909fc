import { describe, expect, it } from '@jest/globals';
import { golden, recordedTurns } from '../../../../test/golden/golden.js';
import type { TurnEvent } from '../../../events/turn-event.js';
import { parseCursor } from '../../../events/cursor.js';
import type { FrameWithCursor } from '../../framing/dialect.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import { harnessDialect } from './harness.js';

const turnId = 'turn_1';

function encode(events: readonly TurnEvent[], after?: string): FrameWithCursor[] {
  const cursor = after === undefined ? undefined : parseCursor(turnId, after);
  const encoder = new TurnEncoder(harnessDialect, turnId, cursor);
  return events.flatMap((event) => encoder.encode(event));
}

const toText = (frames: readonly FrameWithCursor[]): string =>
  frames.map(({ id, event, data }) => `event: ${event}\nid: ${id}\ndata: ${data}\n\n`).join('');

describe.each(recordedTurns())('the harness wire of %s', (name, events) => {
  const frames = encode(events);

  it('is what it was', () => {
    const text = toText(frames);
    expect(text).toBe(golden(`./harness/${name}.txt`, text));
  });

  it('begins once and ends once, with process:exit', () => {
    const names = frames.map((frame) => frame.event);
    expect(names.at(-1)).toBe('process:exit');
    for (const name of ['session:init', 'turn:end', 'process:exit']) {
      expect([name, names.filter((other) => other === name)]).toEqual([name, [name]]);
    }
  });

  it('gives every frame a place of its own, and data on one line', () => {
    expect(new Set(frames.map((frame) => frame.id)).size).toBe(frames.length);
    for (const frame of frames) expect(frame.data).not.toMatch(/[\r\n]/);
  });

  it('goes on after any frame with the rest, and nothing twice', () => {
    for (const [index, frame] of frames.entries()) {
      expect(encode(events, frame.id)).toEqual(frames.slice(index + 1));
    }
  });
});

/** The contract's frames (sections 3.4 and 11) and the fields of their data. */
const fields: Record<string, { always: string[]; sometimes?: string[] }> = {
  'session:init': {
    always: ['claudeSessionId', 'model', 'sessionId', 'messageId', 'agent', 'resumed'],
  },
  'chat:delta': { always: ['text', 'step'] },
  'tool:result': { always: ['name', 'ok', 'output', 'toolUseId', 'status', 'durationMs'] },
  'chat:complete': { always: ['text'] },
  'session:complete': { always: [] },
  'turn:error': {
    always: ['phase', 'errorType', 'message', 'status', 'severity', 'fatal', 'retryable'],
    sometimes: ['details', 'retryAfterMs', 'requestId'],
  },
  'process:exit': {
    always: ['exitCode'],
    sometimes: ['interrupted', 'error', 'errorType', 'status', 'severity', 'fatal', 'errorDetails'],
  },
  'turn:queued': { always: ['position'] },
  'turn:recovering': { always: ['reason', 'attempt'] },
  'turn:end': { always: ['outcome', 'exitCode', 'reason', 'usage', 'durationMs'] },
  'step:start': { always: ['step'] },
  'step:discard': { always: ['step'] },
  'step:end': { always: ['step', 'stopReason', 'usage'] },
  'thinking:delta': { always: ['text', 'step'] },
  source: { always: ['step', 'type', 'title'], sometimes: ['url', 'citedText', 'location'] },
  'tool:request': { always: ['toolUseId', 'name', 'step'], sometimes: ['by'] },
  'tool:args': { always: ['toolUseId', 'json'] },
  'tool:start': { always: ['toolUseId', 'name', 'input'] },
  'tool:progress': { always: ['toolUseId', 'note', 'elapsedMs'] },
  'approval:request': {
    always: [
      'toolUseId',
      'approvalId',
      'name',
      'input',
      'kind',
      'reason',
      'expiresAt',
      'onTimeout',
    ],
  },
  'approval:resolve': {
    always: ['toolUseId', 'approvalId', 'decision', 'by'],
    sometimes: ['message', 'input'],
  },
  'turn:parked': { always: ['approvalIds'] },
  'output:partial': { always: ['step', 'output'] },
  'output:final': { always: ['output'] },
  'message:joined': { always: ['messageId', 'afterStep', 'text'] },
  'subagent:start': { always: ['toolUseId', 'childTurnId', 'agent'] },
  'subagent:end': { always: ['toolUseId', 'childTurnId', 'outcome', 'usage'] },
  'system:notice': { always: ['kind', 'level', 'text', 'seenByModel'], sometimes: ['metadata'] },
  'attachment:warning': { always: ['name', 'reason'] },
};

/** A frame of a subagent's has whose it is beside its own fields. */
function fieldsOf(event: string): { always: string[]; sometimes?: string[] } {
  const told = fields[event.replace(/^subagent:/, '')];
  if (fields[event] !== undefined || told === undefined) {
    return fields[event] ?? { always: ['unknown frame'] };
  }
  return { ...told, always: ['childTurnId', 'parentToolUseId', ...told.always] };
}

describe('the harness wire', () => {
  const turns = new Map(recordedTurns());

  it('is recorded in every frame of the contract, and has its fields and no other', () => {
    const frames = [...turns.values()].flatMap((events) => encode(events));
    for (const { event = '', data } of frames) {
      const { always, sometimes = [] } = fieldsOf(event);
      const keys = Object.keys(JSON.parse(data) as object);
      expect([event, keys]).toEqual([event, expect.arrayContaining(always)]);
      expect([event, [...always, ...sometimes]]).toEqual([event, expect.arrayContaining(keys)]);
    }
    const events = new Set(frames.map(({ event }) => event));
    expect(Object.keys(fields).filter((event) => !events.has(event))).toEqual([]);
  });

  const dataOf = (name: string, event: string): unknown[] =>
    encode(turns.get(name) ?? [])
      .filter((frame) => frame.event === event)
      .map((frame) => JSON.parse(frame.data) as unknown);

  it('has the contract’s fields, to the letter', () => {
    expect(dataOf('plain-reply', 'process:exit')).toEqual([{ exitCode: 0 }]);
    expect(dataOf('plain-reply', 'session:complete')).toEqual([{}]);
    expect(dataOf('plain-reply', 'chat:complete')).toEqual([{ text: 'Hello\nthere' }]);
    expect(dataOf('interrupted-in-a-tool', 'process:exit')).toEqual([
      { exitCode: 130, interrupted: true },
    ]);
    const failure = {
      errorType: 'SDK_FAILURE',
      status: 529,
      severity: 'error',
      fatal: true,
    };
    const details = { provider: 'anthropic', category: 'API_RESPONSE_ERROR' };
    const message = 'The provider is overloaded';
    const advice = { retryable: true, retryAfterMs: 2_000, requestId: 'req_1' };
    expect(dataOf('failed-mid-stream', 'turn:error')).toEqual([
      { phase: 'mid-stream', message, ...failure, details, ...advice },
    ]);
    expect(dataOf('failed-mid-stream', 'process:exit')).toEqual([
      { exitCode: 1, interrupted: false, error: message, ...failure, errorDetails: details },
    ]);
  });

  it('says complete only of a turn that is', () => {
    for (const name of ['interrupted-in-a-tool', 'failed-mid-stream']) {
      expect(dataOf(name, 'chat:complete')).toEqual([]);
      expect(dataOf(name, 'session:complete')).toEqual([]);
    }
    expect(dataOf('interrupted-in-a-tool', 'turn:error')).toEqual([]);
  });

  it('starts with session:init unless the turn had to wait', () => {
    for (const [name, events] of turns) {
      const [first, second] = encode(events);
      const start = first?.event === 'turn:queued' ? second : first;
      expect([name, start?.event]).toEqual([name, 'session:init']);
    }
  });
});
