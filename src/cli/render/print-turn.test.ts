import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../client/turnpike-client.js';
import { eventStream } from '../../../test/client/fake-server.js';
import { printTurn } from './print-turn.js';
import { painter, type Screen } from '../terminal/screen.js';

const delta = (step: number, text: string) => ['chat:delta', { step, text }] as const;

/** Two steps, the second of which a worker began, died in, and another one ran again. */
const events = [
  delta(0, 'I look. '),
  ['step:end', { step: 0 }],
  ['tool:result', { toolUseId: 't', name: 'read', ok: true, status: 'ok', durationMs: 1 }],
  delta(1, 'It is 4'),
  ['turn:recovering', { reason: 'worker lost' }],
  ['step:discard', { step: 1 }],
  delta(1, 'It is '),
  delta(1, '42.'),
  ['step:end', { step: 1 }],
  ['process:exit', { exitCode: 0 }],
] as const;

/** What is on standard output after the turn's first `count` events. */
async function print(holdsSteps: boolean, count: number = events.length): Promise<string> {
  return (await printBoth(holdsSteps, events.slice(0, count))).out;
}

async function printBoth(
  holdsSteps: boolean,
  shown: readonly (readonly [string, object])[],
): Promise<{ out: string; err: string }> {
  const frames = shown.map(
    ([event, data], at) =>
      `event: ${event}\nid: turn_1:1.${at + 1}\ndata: ${JSON.stringify(data)}\n\n`,
  );
  let isFirst = true;
  const client = new TurnpikeClient({
    url: 'http://turnpike.test',
    fetch: async () => {
      if (!isFirst)
        return Response.json({ error: { type: 'X', message: 'gone' } }, { status: 404 });
      isFirst = false;
      return eventStream(frames.join(''));
    },
  });
  const printed = { out: '', err: '' };
  const screen: Screen = {
    json: false,
    paint: painter(false),
    isLive: false,
    holdsSteps,
    columns: 80,
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
  };
  const ended = printTurn(client.follow('turn_1'), screen);
  if (shown.at(-1)?.[0] !== 'process:exit') await expect(ended).rejects.toThrow('gone');
  else await expect(ended).resolves.toBe(0);
  return printed;
}

describe('the reply on standard output', () => {
  it('has a discarded step once where it is a pipe or a file', async () => {
    expect(await print(true)).toBe('I look. \nIt is 42.');
  });

  it('shows each word at once on a terminal, which says that the last ones no longer count', async () => {
    expect(await print(false)).toBe('I look. \nIt is 4\nIt is 42.');
  });

  it('has the words of a step that was cut off', async () => {
    expect(await print(true, 4)).toBe('I look. \nIt is 4');
  });
});

describe('what is said of a step that starts again', () => {
  it.each([
    ['withdraws the words that are shown', false, events, /last words above no longer count; that/],
    ['withdraws none that are held back', true, events, /^↻ that step starts again$/m],
    [
      'withdraws none where none came',
      false,
      events.filter(([event]) => event !== 'chat:delta'),
      /^↻ that step starts again$/m,
    ],
  ])('%s', async (_name, holdsSteps, shown, expected) => {
    expect((await printBoth(holdsSteps, shown)).err).toMatch(expected);
  });
});
