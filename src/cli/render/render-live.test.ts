import { describe, expect, it } from '@jest/globals';
import { recordedTurns } from '../../../test/golden/golden.js';
import { harnessDialect } from '../../wires/harness/dialect/harness.js';
import { TurnEncoder } from '../../wires/framing/turn-encoder.js';
import { painter } from '../terminal/screen.js';
import {
  clearLive,
  liveStart,
  renderLive,
  renderFrame,
  renderStart,
  type ReceivedFrame,
  type TerminalWrite,
} from './render-turn.js';

const screen = { paint: painter(false), columns: 40 };
const erase = '\r\u001b[2K';

function live(frames: readonly ReceivedFrame[]): { writes: TerminalWrite[]; shown: string } {
  const writes: TerminalWrite[] = [];
  let state = liveStart;
  for (const frame of frames) {
    const rendered = renderLive(state, frame, screen);
    state = rendered.state;
    writes.push(...rendered.writes);
  }
  return { writes, shown: state.shown };
}

const frame = (event: string, data: Record<string, unknown>): ReceivedFrame => ({
  id: 'turn_1:1.1',
  event,
  data,
});
const start = (id: string, name: string) => frame('tool:start', { toolUseId: id, name, input: {} });
const progress = (id: string, elapsedMs: number, note = 'busy') =>
  frame('tool:progress', { toolUseId: id, note, elapsedMs });
const result = (id: string, name: string) =>
  frame('tool:result', { toolUseId: id, name, ok: true, status: 'success', durationMs: 7 });

/** The text that a terminal shows in the end, without erased lines. */
function onScreen(writes: readonly TerminalWrite[]): string {
  let text = '';
  for (const [, piece] of writes) {
    text = piece === erase ? text.slice(0, text.lastIndexOf('\n') + 1) : text + piece;
  }
  return text;
}

describe.each(recordedTurns())('a live terminal that shows %s', (_name, events) => {
  it('is left as one that is not live', () => {
    const encoder = new TurnEncoder(harnessDialect, 'turn_1');
    const frames = events.flatMap((event) =>
      encoder.encode(event).map(({ id, event: type = '', data }) => ({
        id,
        event: type,
        data: JSON.parse(data) as Record<string, unknown>,
      })),
    );
    const { writes, shown } = live(frames);
    let state = renderStart;
    const plain: TerminalWrite[] = [];
    for (const one of frames) {
      const rendered = renderFrame(state, one, screen.paint);
      state = rendered.state;
      plain.push(...rendered.writes);
    }
    expect(shown).toBe('');
    expect(onScreen(writes)).toBe(onScreen(plain));
  });
});

describe('a live terminal', () => {
  it('shows what runs, and for how long, on one line', () => {
    const { writes } = live([
      start('a', 'bash'),
      progress('a', 3_400, 'compiling'),
      result('a', 'bash'),
    ]);
    expect(writes).toEqual([
      ['err', '→ bash …'],
      ['err', erase],
      ['err', '→ bash … compiling, 3 s'],
      ['err', erase],
      ['err', '→ bash … ok, 7 ms\n'],
    ]);
  });

  it('names the call that was heard of last, and counts the others', () => {
    expect(live([start('a', 'read'), start('b', 'bash')]).shown).toBe('→ bash (and 1 more) …');
    expect(live([start('a', 'read'), start('b', 'bash'), progress('a', 10)]).shown).toBe(
      '→ read (and 1 more) … busy',
    );
  });

  it('does not write into a reply or a thought', () => {
    const said = frame('chat:delta', { text: 'Half a' });
    expect(live([said, start('a', 'bash')]).shown).toBe('');
    const thought = frame('thinking:delta', { text: 'Hm' });
    expect(live([thought, start('a', 'bash')]).shown).toBe('');
  });

  it('keeps to one line, whatever a tool says', () => {
    const { shown } = live([start('a', 'bash'), progress('a', 0, `x\n\u001b[2J${'y'.repeat(99)}`)]);
    expect(shown.length).toBeLessThan(screen.columns);
    for (const control of ['\n', '\u001b']) expect(shown).not.toContain(control);
  });

  it('makes room for a question', () => {
    const shown = { ...liveStart, shown: '→ bash …' };
    expect(clearLive(shown)).toEqual({ state: liveStart, writes: [['err', erase]] });
    expect(clearLive(liveStart).writes).toEqual([]);
  });
});
