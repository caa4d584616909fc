import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { verifyEvents } from '@ag-ui/client';
import { describe, expect, it } from '@jest/globals';
import { EventSchemas as OldEventSchemas } from 'ag-ui-client-before-1';
import { from } from 'rxjs';
import { toOldEvent, type AgUiEvent } from '../../src/wires/ag-ui/dialect/ag-ui-frames.js';

type Event = Record<string, unknown> & { type: string };

/** The runs of each recorded turn: `[file, runs]`. */
function recordedRuns(): [string, Event[][]][] {
  const folder = fileURLToPath(new URL('../golden/ag-ui', import.meta.url));
  return readdirSync(folder).map((file) => {
    const lines = readFileSync(`${folder}/${file}`, 'utf8').matchAll(/^data: (.+)$/gm);
    const runs: Event[][] = [];
    for (const [, data = ''] of lines) {
      const event = JSON.parse(data) as Event;
      if (event.type === 'RUN_STARTED') runs.push([]);
      runs.at(-1)?.push(event);
    }
    return [file, runs];
  });
}

describe.each(recordedRuns())('the AG-UI wire of %s', (_file, runs) => {
  it('is taken by the client of the protocol', () => {
    expect(runs.length).toBeGreaterThan(0);
    for (const run of runs) {
      const faults: unknown[] = [];
      // The client has a copy of rxjs of its own.
      const source = from(run) as unknown as Parameters<ReturnType<typeof verifyEvents>>[0];
      verifyEvents()(source).subscribe({ error: (fault) => faults.push(fault) });
      expect(faults).toEqual([]);
    }
  });

  it('is taken by a client of the protocol before 1.0', () => {
    for (const event of runs.flat()) OldEventSchemas.parse(toOldEvent(event as AgUiEvent));
  });
});

const finished = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' } as const;

it.each([
  ['a cancelled run', { type: 'cancelled' as const }, undefined],
  [
    'calls that wait for the client',
    { type: 'success' as const, pendingToolCallIds: ['c1'] },
    { pendingToolCallIds: ['c1'] },
  ],
])('says %s in the metadata, as the outcome is refused', (_name, outcome, turnpike) => {
  const metadata = { turnpike: { outcome: 'interrupted' } };
  const event = {
    ...finished,
    usage: [],
    outcome,
    ...(turnpike === undefined ? { metadata } : {}),
  };
  expect(OldEventSchemas.safeParse(event).success).toBe(false);
  const old = toOldEvent(event);
  expect(OldEventSchemas.parse(old)).toMatchObject(
    turnpike === undefined ? { metadata } : { outcome: { type: 'success' } },
  );
  expect(old).toMatchObject({ metadata: { turnpike: turnpike ?? metadata.turnpike } });
});
