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
  const frames = events
    .slice(0, count)
    .map(
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
  let printed = '';
  const screen: Screen = {
    json: false,
    paint: painter(false),
    isLive: false,
    holdsSteps,
    columns: 80,
    out: (text) => void (printed += text),
    err: () => undefined,
  };
  const ended = printTurn(client.follow('turn_1'), screen);
  if (count < events.length) await expect(ended).rejects.toThrow('gone');
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
