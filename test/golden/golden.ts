import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import type { TurnEvent } from '../../src/events/turn-event.js';
import { type FrameWithCursor, formatFrame } from '../../src/wires/framing/dialect.js';
import { followTurn } from '../../src/wires/framing/follow-turn.js';
import { openSegment } from '../../src/wires/framing/segment.js';
import { startView, type SegmentBeginning } from '../../src/wires/framing/turn-view.js';

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Recorded turns: name → events. A case that every wire should show is one more file in `events/`. */
export function recordedTurns(): [string, TurnEvent[]][] {
  return readdirSync(at('./events'))
    .sort()
    .map((file) => [
      file.replace('.json', ''),
      JSON.parse(readFileSync(at(`./events/${file}`), 'utf8')) as TurnEvent[],
    ]);
}

/** The kept text of a golden file; `UPDATE_GOLDEN=1` keeps what is given instead. */
export function golden(name: string, given: string): string {
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(at(name), given);
  return readFileSync(at(name), 'utf8');
}

/** The approvals that each stream of a turn ends at, for a client that answers all of them each time. */
export function waitsOf(
  events: readonly TurnEvent[],
  begins?: SegmentBeginning,
): (readonly string[])[] {
  const waits: (readonly string[])[] = [];
  for (let answered: readonly string[] = []; ;) {
    let view = startView(openSegment(answered, begins));
    for (const event of events) ({ view } = followTurn(view, event));
    answered = view.segment?.waitsFor ?? [];
    if (answered.length === 0) return waits;
    waits.push(answered);
  }
}

export interface RecordedStream {
  frames: readonly FrameWithCursor[];
  /** The frames of a stream that goes on after the frame with this id. */
  resume(after: string): FrameWithCursor[];
}

/**
 * Tests what every wire owes its readers, whatever the turn: the recorded text, and streams that can be
 * resumed after each of their frames.
 *
 * @param file the golden file, without its extension.
 * @param streams the streams of the turn, one after the other.
 */
export function testRecordedStreams(file: string, streams: readonly RecordedStream[]): void {
  it('is what it was', () => {
    const text = streams.map(({ frames }) => frames.map(formatFrame).join('')).join('');
    expect(text).toBe(golden(`./${file}.txt`, text));
  });

  it('gives each frame an id of its own and its data one line, and goes on after any of them', () => {
    for (const { frames, resume } of streams) {
      expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
      for (const [index, { id, data }] of frames.entries()) {
        expect(data).not.toMatch(/[\r\n]/);
        expect(resume(id)).toEqual(frames.slice(index + 1));
      }
    }
  });
}
