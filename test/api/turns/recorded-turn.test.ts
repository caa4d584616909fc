import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../src/events/turn-event.js';
import { golden } from '../../golden/golden.js';
import { useServer } from '../../support/processes/start-server.js';

/** What a turn has for names, and what stands for them in the recording. */
const names: [RegExp, string][] = [
  [/turn_[\w-]+/g, 'turn_1'],
  [/msg_[\w-]+/g, 'msg_1'],
  [/sess_[\w-]+/g, 'sess_1'],
  [/claude_[\w-]+/g, 'claude_1'],
  [/toolu_[\w-]+/g, 'toolu_1'],
];

/** The events of a turn as they would be if the machine had been at its quickest. */
function record(log: readonly TurnEvent[]): TurnEvent[] {
  const events: TurnEvent[] = [];
  for (const event of log) {
    const last = events.at(-1);
    if (event.type === 'turn.queued' || event.type === 'tool.progress') continue;
    if (event.type === 'text.delta' && last?.type === 'text.delta') last.text += event.text;
    else events.push({ ...event, seq: events.length + 1 });
  }
  return names.reduce(
    (recorded, [name, shown]) =>
      JSON.parse(JSON.stringify(recorded).replaceAll(name, shown)) as TurnEvent[],
    events,
  );
}

/** Without what differs from turn to turn: times, and numbers of tokens. */
function comparable(events: readonly TurnEvent[]): object[] {
  return events.map(({ at: _at, ...event }) => ({
    ...event,
    ...('usage' in event && { usage: Object.keys(event.usage) }),
    ...('durationMs' in event && { durationMs: 'some' }),
  }));
}

describe('the turn that the pages of the wires show', () => {
  const server = useServer();

  it('is one that the server still makes', async () => {
    const { client, projectRoot } = server;
    await writeFile(path.join(projectRoot, 'hours.md'), 'The gate opens at six.\n');
    const sessionId = await client.createSession(projectRoot);
    const message = 'When does the gate open? [[think=1]] [[tool=read {"file_path":"hours.md"}]]';
    const opts = { thinking: { display: 'summarized' } };
    const turn = await client.turn(sessionId, message, { opts });
    await turn.all();
    const { body } = await client.get(`/api/harness/turns/${turn.header('x-turn-id')}/log`);
    const recorded = record(body['events'] as TurnEvent[]);
    const kept = golden(
      './events/think-read-answer.json',
      `${JSON.stringify(recorded, null, 1)}\n`,
    );
    expect(comparable(recorded)).toEqual(comparable(JSON.parse(kept) as TurnEvent[]));
  });
});
