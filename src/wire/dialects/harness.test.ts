import { describe, expect, it } from '@jest/globals';
import { golden, recordedTurns } from '../../../test/golden/golden.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { parseCursor } from '../../events/cursor.js';
import { encodeTurn, type PlacedFrame } from '../encode-turn.js';
import { harnessDialect } from './harness.js';

const turnId = 'turn_1';

function encode(events: readonly TurnEvent[], after?: string): PlacedFrame[] {
  const cursor = after === undefined ? undefined : parseCursor(turnId, after);
  const next = encodeTurn(harnessDialect, turnId, cursor);
  return events.flatMap((event) => next(event));
}

const toText = (frames: readonly PlacedFrame[]): string =>
  frames.map(({ id, event, data }) => `event: ${event}\nid: ${id}\ndata: ${data}\n\n`).join('');

describe.each(recordedTurns())('the harness wire of %s', (name, events) => {
  const frames = encode(events);

  it('is what it was', () => {
    const text = toText(frames);
    expect(text).toBe(golden(`./harness/${name}.txt`, text));
  });

  it('ends with process:exit, and has it once', () => {
    expect(frames.at(-1)?.event).toBe('process:exit');
    expect(frames.filter((frame) => frame.event === 'process:exit')).toHaveLength(1);
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

describe('the harness wire', () => {
  const turns = new Map(recordedTurns());
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
    expect(dataOf('failed-mid-stream', 'turn:error')).toEqual([
      { phase: 'mid-stream', message, ...failure, details },
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
