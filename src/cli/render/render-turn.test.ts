import { describe, expect, it } from '@jest/globals';
import { golden, recordedTurns } from '../../../test/golden/golden.js';
import { harnessDialect } from '../../wires/harness/dialect/harness.js';
import { TurnEncoder } from '../../wires/framing/turn-encoder.js';
import { painter, oneLine, plainText } from '../terminal/screen.js';
import { renderFrame, renderStart, type ReceivedFrame } from './render-turn.js';

const plain = painter(false);

function render(
  frames: readonly ReceivedFrame[],
  paint = plain,
): { out: string; err: string; both: string } {
  let state = renderStart;
  let out = '';
  let err = '';
  let both = '';
  for (const frame of frames) {
    const rendered = renderFrame(state, frame, paint);
    state = rendered.state;
    for (const [stream, text] of rendered.writes) {
      if (stream === 'out') out += text;
      else err += text;
      both += text;
    }
  }
  return { out, err, both };
}

const frame = (event: string, data: Record<string, unknown>): ReceivedFrame => ({
  id: 'turn_1:1.1',
  event,
  data,
});

describe.each(recordedTurns())('a terminal that shows %s', (name, events) => {
  const encoder = new TurnEncoder(harnessDialect, 'turn_1');
  const frames = events.flatMap((event) =>
    encoder.encode(event).map(({ id, event: type = '', data }) => ({
      id,
      event: type,
      data: JSON.parse(data) as Record<string, unknown>,
    })),
  );
  const { out, err, both } = render(frames);

  it('shows what it showed', () => {
    expect(both).toBe(golden(`./terminal/${name}.txt`, both));
  });

  it('has the reply alone on standard output', () => {
    const said = frames.filter((f) => f.event === 'chat:delta').map((f) => f.data['text']);
    expect(out.replaceAll('\n', '')).toBe(said.join('').replaceAll('\n', ''));
  });

  it('ends both with a line break', () => {
    expect(out === '' || out.endsWith('\n')).toBe(true);
    expect(err.endsWith('\n')).toBe(true);
  });
});

describe('renderFrame', () => {
  it('ends a thought before the reply begins', () => {
    const frames = [frame('thinking:delta', { text: 'Hm.' }), frame('chat:delta', { text: 'Yes' })];
    expect(render(frames).both).toBe('thinking: Hm.\nYes');
  });

  it('shows nothing of an event it does not know', () => {
    expect(render([frame('new:event', { a: 1 })])).toEqual({ out: '', err: '', both: '' });
  });

  it('says that the worker does not answer', () => {
    const leaseUntil = '2026-01-01T12:00:30.000Z';
    const { err } = render([frame('turn:stalled', { silentMs: 5_400, leaseUntil })]);
    const time = new Date(leaseUntil).toLocaleTimeString();
    expect(err).toBe(
      `! the worker has not answered for 5 s; if it stays silent, another one takes the turn over after ${time}\n`,
    );
  });

  it('colours only when asked to', () => {
    const notice = frame('system:notice', { text: 'Careful' });
    expect(render([notice]).err).toBe('! Careful\n');
    expect(render([notice], painter(true)).err).toBe('\u001b[33m! Careful\u001b[0m\n');
  });

  it('lets no text of a model or a tool drive the terminal', () => {
    const evil = 'a\u001b]0;title\u0007b\u001b[2Jc\rd\u0000';
    const { out } = render([frame('chat:delta', { text: evil })]);
    expect(out).toBe('a]0;titlebcd');
    const result = { name: evil, ok: false, status: evil, output: evil, durationMs: 1 };
    const { err } = render([frame('tool:result', result)]);
    expect(err).toBe(plainText(err));
  });

  it.each<[string, Record<string, unknown>]>([
    ['source', { title: 'a', url: 'https://a.example/\u001b[2J\u001b]0;title\u0007' }],
    ['turn:error', { errorType: '\u001b[2J', message: 'b' }],
    ['turn:end', { outcome: '\u001b[2J', reason: '\u009b2J', durationMs: 1 }],
    ['subagent:end', { outcome: '\u001b[2J' }],
    ['turn:stalled', { silentMs: '\u001b[2J', leaseUntil: '\u001b[2J' }],
    ['approval:request', { name: 'bash', onTimeout: '\u001b[2J', expiresAt: '\u001b'.repeat(20) }],
  ])('lets no field of %s drive the terminal', (event, data) => {
    const { err } = render([frame(event, data)]);
    expect(err).toBe(plainText(err));
  });
});

describe('plainText and oneLine', () => {
  it.each([
    ['plain\n\ttext ünï 👋', 'plain\n\ttext ünï 👋'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u009b31mred', '31mred'],
    ['', ''],
  ])('%j is shown as %j', (given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it('cuts a line at its limit', () => {
    expect(oneLine('a  b\n c', 80)).toBe('a b c');
    expect(oneLine('abcdef', 4)).toBe('abc…');
  });
});
