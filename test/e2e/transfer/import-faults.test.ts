import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids.js';
import { newStore, type TestStore } from '../../support/database/test-store.js';
import { tablesWith } from '../../support/find-text.js';
import {
  exportOf,
  importInto,
  startKeyed,
  type Keyed,
} from '../../support/transfer/keyed-server.js';
import { playScene, sceneEnvironment, type Scene } from '../../support/transfer/play-scene.js';

type Change = (lines: string[]) => string[];

describe('an import', () => {
  let source: Keyed;
  let target: Keyed;
  let store: TestStore;
  let scene: Scene;
  let lines: string[];
  beforeAll(async () => {
    const environment = await sceneEnvironment();
    source = await startKeyed({ environment });
    scene = await playScene(source, 'faulty');
    lines = (await exportOf(source)).trimEnd().split('\n');
    store = await newStore();
    target = await startKeyed({
      environment: { ...environment, TURNPIKE_MAX_SESSIONS: '4' },
      store,
    });
  });
  afterAll(async () => {
    await source.close();
    await target.close();
    await store.close();
  });

  const at = (type: string, nth = 0): number =>
    lines.flatMap((line, index) => (line.startsWith(`{"type":"${type}"`) ? [index] : []))[nth] ?? 0;
  const changed =
    (type: string, change: (line: string) => string): Change =>
    (all) =>
      all.map((line, index) => (index === at(type) ? change(line) : line));
  const send = (change: Change, query = '') =>
    importInto(target, `${change([...lines]).join('\n')}\n`, query);

  const faults: [what: string, change: Change, expected: string][] = [
    ['no header', (all) => all.slice(1), 'Line 1 is not the header'],
    ['an empty file', () => [], 'is not JSON'],
    ['a broken line', changed('step', (line) => line.slice(0, -9)), 'is not JSON'],
    ['a line without a type', changed('step', () => '{"a":1}'), 'it has no type'],
    ['an unknown type', changed('step', () => '{"type":"x"}'), 'has the type "x"'],
    [
      'a field of another type',
      changed('step', (line) => line.replace('"step":1', '"step":"1"')),
      "(step): 'row.step' must be a whole number",
    ],
    [
      'a field that is not known',
      changed('step', (line) => line.replace('"step":1', '"stepp":1,"step":1')),
      "'row.stepp' is not a field",
    ],
    [
      'an id of something else',
      changed('session', (line) => line.replaceAll('"id":"sess_', '"id":"../')),
      "'row.id' must be an id",
    ],
    [
      'a row of a turn that is not of the session',
      changed('step', (line) => line.replace(/turn_[0-9a-f-]+/, newId('turn'))),
      "has a 'turnId' that no line of its session before it has",
    ],
    [
      'a row twice',
      (all) => all.flatMap((line, index) => (index === at('step') ? [line, line] : [line])),
      'ends',
    ],
    ['a line that is missing', (all) => all.toSpliced(at('step'), 1), 'ends'],
    ['a session that is cut off', (all) => all.slice(0, at('step')), 'was cut off'],
    [
      'other bytes of a file',
      changed('bytes', (line) => line.replace('"data":"Q', '"data":"R')),
      'whose hash is',
    ],
    ['fewer bytes of a file', (all) => all.toSpliced(at('bytes'), 1), 'must be one of bytes'],
    [
      'a status that is none',
      changed('turn', (line) => line.replace('"status":"completed"', '"status":"done"')),
      "'row.status' must be one of",
    ],
    [
      'a list that is too deep',
      changed('turn', () => `{"type":"turn","row":${'['.repeat(100_000)}`),
      'nested too deep',
    ],
  ];

  it.each(faults)(
    'with %s names the line, and stores nothing of the session',
    async (_, change, expected) => {
      const { status, body } = await send(change);
      expect([status, body['error']]).toMatchObject([
        400,
        {
          type: 'IMPORT_INVALID',
          message: expect.stringMatching(/^Line \d+ .*Nothing was imported\.$/),
          details: { line: expect.any(Number), imported: 0 },
        },
      ]);
      expect((body['error'] as { message: string }).message).toContain(expected);
      expect(await tablesWith(target.db, scene.sessionId)).toEqual([]);
    },
  );

  it('of a newer version is refused with a sentence', async () => {
    const { status, body } = await send(
      changed('header', (line) => line.replace('"version":1', '"version":2,"more":{}')),
    );
    expect([status, body['error']]).toMatchObject([
      400,
      { type: 'IMPORT_TOO_NEW', message: expect.stringContaining('reads up to version 1') },
    ]);
  });

  it('keeps the sessions before a fault, and goes on after them', async () => {
    const { status, body } = await send((all) => all.slice(0, -1));
    expect([status, body['error']]).toMatchObject([
      400,
      {
        type: 'IMPORT_INVALID',
        message: expect.stringMatching(/was cut off.*1 before it was imported/),
        details: { line: lines.length, imported: 1 },
      },
    ]);
    expect(await tablesWith(target.db, scene.sessionId)).toContain('sessions');
    const again = await send((all) => all);
    expect(again.body).toMatchObject({ imported: 0, skipped: 1 });
  });

  it('has the owner that it names, and stays within the limit of sessions', async () => {
    /** The line with ids that nothing has: a last digit that a given change makes another one. */
    const fresh = (line: string, change: number): string =>
      line.replaceAll(
        /((?:sess|turn|msg|appr|att)_[0-9a-f-]{35})([0-9a-f])/g,
        (_, start: string, last: string) => `${start}${(parseInt(last, 16) ^ change).toString(16)}`,
      );
    const asAlice = await send((all) => all.map((line) => fresh(line, 1)), '?principal=alice');
    expect(asAlice.body).toMatchObject({ imported: 1 });
    expect(await tablesWith(target.db, 'alice')).toEqual(
      expect.arrayContaining(['sessions', 'turns']),
    );
    const full = await send((all) => all.map((line) => fresh(line, 2)));
    expect([full.status, full.body['error']]).toMatchObject([429, { type: 'SESSION_LIMIT' }]);
  });

  it('ends turns that had not ended, and runs none of them', async () => {
    const other = await newStore();
    const server = await startKeyed({ store: other });
    const { client, projectRoot } = source;
    const onDisconnect = { opts: { onDisconnect: 'continue', onBusy: 'enqueue' } };
    const running = await client.createSession(projectRoot);
    const parked = await client.createSession(projectRoot);
    const streams = [
      await client.turn(running, '[[tokens=20000 gap=20]]', onDisconnect),
      await client.turn(running, 'Hello from behind', onDisconnect),
      await client.turn(parked, '[[tool=write {"file_path":"x","content":"x"}]]', onDisconnect),
    ];
    await streams[0]?.until('chat:delta');
    await streams[2]?.until('approval:request');
    const taken = [
      await importInto(server, await exportOf(source, `?sessionId=${running}`)),
      await importInto(server, await exportOf(source, `?sessionId=${parked}`)),
    ];
    expect(taken.map(({ body }) => body['interruptedTurns'])).toEqual([2, 1]);
    for (const stream of streams) {
      const id = stream.header('x-turn-id');
      const { body } = await server.client.get(`/api/harness/turns/${id}`);
      expect(body['turn']).toMatchObject({ status: 'interrupted', exitCode: 130 });
      const frames = await (await server.client.follow(id)).all();
      expect(frames.find(({ event }) => event === 'turn:end')?.data).toMatchObject({
        reason: 'imported',
      });
    }
    expect(server.modelRequests).toEqual([]);
    const open = await server.client.get('/api/harness/approvals');
    expect(open.body).toMatchObject({ approvals: [] });
    const next = await server.client.turn(parked, 'Go on');
    expect((await next.all()).at(-1)?.data).toMatchObject({ exitCode: 0 });
    for (const sessionId of [running, parked]) {
      await client.request('DELETE', `/api/harness/session/${sessionId}`);
    }
    await server.close();
    await other.close();
  });
});
