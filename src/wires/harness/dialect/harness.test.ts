import { describe, expect, it } from '@jest/globals';
import { recordedTurns, testRecordedStreams } from '../../../../test/golden/golden.js';
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

describe.each(recordedTurns())('the harness wire of %s', (name, events) => {
  const frames = encode(events);
  testRecordedStreams(`harness/${name}`, [{ frames, resume: (after) => encode(events, after) }]);

  it('begins once and ends once, with process:exit', () => {
    const names = frames.map((frame) => frame.event);
    expect(names.at(-1)).toBe('process:exit');
    for (const name of ['session:init', 'turn:end', 'process:exit']) {
      expect([name, names.filter((other) => other === name)]).toEqual([name, [name]]);
    }
    expect(names[names[0] === 'turn:queued' ? 1 : 0]).toBe('session:init');
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
  'turn:queued': { always: ['position'], sometimes: ['reason'] },
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
  const known = fields[event.replace(/^subagent:/, '')];
  if (fields[event] !== undefined || known === undefined) {
    return fields[event] ?? { always: ['unknown frame'] };
  }
  return { ...known, always: ['childTurnId', 'parentToolUseId', ...known.always] };
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
});
