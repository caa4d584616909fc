import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newOtherStore, type TestStore } from '../../support/database/test-store.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { memoryInUse } from '../../support/memory-in-use.js';
import { archiveEvents } from '../../support/turn/archive-events.js';
import { storeTurn } from '../../support/turn/store-turn.js';
import {
  exportOf,
  importInto,
  startKeyed,
  type Keyed,
} from '../../support/transfer/keyed-server.js';
import { playScene, sceneEnvironment, type Scene } from '../../support/transfer/play-scene.js';

type Line = { type: string; row?: Record<string, unknown> } & Record<string, unknown>;

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
/** An export without the time at which it was made. */
const bodyOf = (text: string): string => text.slice(text.indexOf('\n'));

/** What clients read of a session, over the wires that read it. */
async function readAll({ client }: Keyed, { sessionId, turnIds }: Scene) {
  const paths = [
    `/api/harness/session/${sessionId}`,
    `/api/harness/sessions/${sessionId}/messages?limit=200`,
    `/api/harness/sessions/${sessionId}/todos`,
    `/api/harness/sessions/${sessionId}/turns`,
    `/api/chat/${sessionId}`,
    ...turnIds.flatMap((id) => [
      `/api/harness/turns/${id}`,
      `/api/harness/turns/${id}/feedback`,
      `/api/harness/turns/${id}/steps`,
      `/api/harness/turns/${id}/tools`,
      `/api/harness/turns/${id}/log`,
    ]),
  ];
  const answers: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await client.get(path);
    answers.push([path, status, body]);
  }
  for (const id of turnIds) {
    const frames = await (await client.follow(id)).all();
    const middle = frames.at(Math.floor(frames.length / 2));
    const rest = await (await client.follow(id, middle?.id)).all();
    expect(rest).toEqual(frames.slice(frames.findIndex((frame) => frame === middle) + 1));
    answers.push(frames);
  }
  return answers;
}

const noMemory = { importedMemoryFiles: 0, skippedMemoryFiles: 0 };

/** Turns of a large session, of half a megabyte each. */
const LARGE_TURNS = process.env['TEST_RELEASE'] === undefined ? 64 : 160;

describe('an export', () => {
  let server: Keyed;
  let other: Keyed;
  let store: TestStore;
  let scene: Scene;
  let text: string;
  beforeAll(async () => {
    const environment = await sceneEnvironment();
    server = await startKeyed({ environment });
    store = await newOtherStore();
    other = await startKeyed({ environment, store });
    scene = await playScene(server);
    text = await exportOf(server);
  });
  afterAll(async () => {
    await server.close();
    await other.close();
    await store.close();
  });

  it('has a session with its turns, files and subagents, and no secret', () => {
    const lines = linesOf(text);
    const types = new Set(lines.map(({ type }) => type));
    expect([...types].toSorted()).toEqual(
      [
        'header',
        'session',
        'todos',
        'file',
        'bytes',
        'turn',
        'message',
        'notice',
        'feedback',
        'step',
        'call',
        'events',
        'session.end',
        'end',
      ].toSorted(),
    );
    expect(lines[0]).toMatchObject({ type: 'header', format: 'turnpike-export', version: 1 });
    expect(lines.at(-1)).toEqual({ type: 'end', sessions: 1 });
    const sessions = lines.filter(({ type }) => type === 'session');
    expect(sessions.map(({ row }) => row?.['id'])).toContain(scene.sessionId);
    expect(sessions).toHaveLength(2);
    for (const { row = {} } of sessions) expect(Object.keys(row)).not.toContain('mcpServers');
  });

  it('is the same after an import into the other back end, and reads the same there', async () => {
    const imported = await importInto(other, text);
    expect(imported).toEqual({
      status: 200,
      body: { imported: 1, skipped: 0, skippedSessions: [], interruptedTurns: 0, ...noMemory },
    });
    expect(bodyOf(await exportOf(other))).toBe(bodyOf(text));
    expect(await readAll(other, scene)).toEqual(await readAll(server, scene));
    const again = await importInto(other, text);
    expect(again.body).toEqual({
      imported: 0,
      skipped: 1,
      skippedSessions: [scene.sessionId],
      interruptedTurns: 0,
      ...noMemory,
    });
  });

  it('is made and taken in bounded memory, however large a session is', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const text = 'x'.repeat(512 * 1024);
    const place = { attempt: 1, seq: 1, at: '2026-01-01T00:00:00.000Z' };
    for (let turn = 0; turn < LARGE_TURNS; turn += 1) {
      const turnId = await storeTurn(server.db, { sessionId, status: 'completed' });
      await archiveEvents(server.db, turnId, [{ type: 'text.delta', step: 1, text, ...place }]);
    }
    const clientOf = ({ url, headers }: Keyed) => new TurnpikeClient({ url, headers }).data;
    const exported = await clientOf(server).export({ sessionId });
    const used = async (): Promise<number> => {
      const { heap, buffers } = await memoryInUse();
      return heap + buffers;
    };
    const base = await used();
    let bytes = 0;
    let most = 0;
    const measured = exported.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: async (chunk, controller) => {
          const mark = Math.floor(bytes / 8e6);
          bytes += chunk.length;
          if (Math.floor(bytes / 8e6) > mark) most = Math.max(most, (await used()) - base);
          controller.enqueue(chunk);
        },
      }),
    );
    const report = await clientOf(other).import(measured);
    expect(report).toMatchObject({ imported: 1 });
    expect(bytes).toBeGreaterThan(LARGE_TURNS * 0.5e6);
    // A part of it is here at any time: a turn, a batch of rows, and what sockets hold.
    expect(most).toBeLessThan(24e6);
  });
});
