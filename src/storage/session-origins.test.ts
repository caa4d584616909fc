import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newTimeId } from '../platform/ids.js';
import { namedSessionId } from '../session/named-session.js';
import { migrationsFolder } from './migrate-database.js';

const TAG = '0018_session_origins';

describe('the migration to origins of sessions', () => {
  let database: PGlite;
  const start = Date.UTC(2026, 0, 1);
  const [oracle, agents, harness, odd, chat, run, child] = [
    ...[1, 2, 3, 4].map((ms) => newTimeId('sess', start + ms)),
    namedSessionId('ann', 'chat 1'),
    namedSessionId('ann', 'run 1'),
    newTimeId('sess', start + 5),
  ] as [string, string, string, string, string, string, string];

  async function storeSession(id: string, mode: string, more: object = {}): Promise<void> {
    const { prefix = null, parentTurnId = null } = more as Record<string, unknown>;
    await database.query(
      `insert into sessions (id, project_root, persona, mode, prefix, parent_turn_id, created_at, updated_at)
       values ($1, '/work', 'WRITER', $2, $3, $4, now(), now())`,
      [id, mode, prefix, parentTurnId],
    );
  }

  /** @returns the turn's id. */
  async function storeTurn(sessionId: string, mode: string, key: string | null = null) {
    const id = newTimeId('turn', start);
    await database.query(
      `insert into turns (id, session_id, status, request, request_hash, idempotency_key, options, created_at)
       values ($1, $2, 'completed', '{}', 'hash', $3, $4, now())`,
      [id, sessionId, key, optionsIn(mode)],
    );
    return id;
  }

  const optionsIn = (mode: string): string =>
    `{"options":{"model":"m","mode":"${mode}","agentConfig":{"zeta":1,"alpha":2}},"provenance":{"mode":"session"},"problems":[]}`;
  const prefixIn = (mode: string, told = mode) => ({
    system: 'Be kind. \0',
    tools: [],
    mode,
    told: { mode: told, off: [] },
  });

  const turnIn: Record<string, string> = {};
  beforeAll(async () => {
    database = await PGlite.create();
    const journal = JSON.parse(
      await readFile(path.join(migrationsFolder, 'meta/_journal.json'), 'utf8'),
    ) as { entries: { tag: string }[] };
    const tags = journal.entries.map(({ tag }) => tag);
    const apply = async (tag: string) =>
      database.exec(await readFile(path.join(migrationsFolder, `${tag}.sql`), 'utf8'));
    for (const tag of tags.slice(0, tags.indexOf(TAG))) await apply(tag);
    await storeSession(oracle, 'oracle', { prefix: prefixIn('oracle') });
    await storeSession(agents, 'agent', { prefix: prefixIn('direct', 'agent') });
    await storeSession(harness, 'dontAsk', { prefix: prefixIn('dontAsk', 'plan') });
    await storeSession(odd, 'as I like it');
    await storeSession(chat, 'thread');
    await storeSession(run, 'direct');
    await storeTurn(run, 'direct', 'ag-ui:run-1');
    for (const mode of ['oracle', 'thread', 'agent', ' PLAN ', 'yolo', 'dontAsk']) {
      turnIn[mode] = await storeTurn(oracle, mode);
    }
    await storeSession(child, 'direct', { parentTurnId: turnIn['oracle'] });
    await apply(TAG);
  });
  afterAll(() => database.close());

  it('finds the wire of each by its mode, or by the id of its thread', async () => {
    const { rows } = await database.query(
      'select id, mode, origin from sessions order by array_position($1, id)',
      [[oracle, agents, harness, odd, chat, run, child]],
    );
    expect(rows).toEqual([
      { id: oracle, mode: 'direct', origin: 'oracle' },
      { id: agents, mode: 'direct', origin: 'named-agents' },
      { id: harness, mode: 'dontAsk', origin: 'harness' },
      { id: odd, mode: 'as I like it', origin: 'harness' },
      { id: chat, mode: 'direct', origin: 'ai-sdk' },
      { id: run, mode: 'direct', origin: 'ag-ui' },
      { id: child, mode: 'direct', origin: 'oracle' },
    ]);
  });

  it('begins requests anew that named something else', async () => {
    const { rows } = await database.query<{ id: string }>(
      'select id from sessions where prefix is not null',
    );
    expect(rows).toEqual([{ id: harness }]);
  });

  it.each([
    ['oracle', 'direct'],
    ['thread', 'direct'],
    ['agent', 'direct'],
    [' PLAN ', 'plan'],
    ['yolo', 'plan'],
    ['dontAsk', 'dontAsk'],
  ])('gives a turn in %j the mode %s, and leaves its other options', async (mode, expected) => {
    const { rows } = await database.query<{ options: string }>(
      'select options::text as options from turns where id = $1',
      [turnIn[mode]],
    );
    const given = rows[0]?.options ?? '';
    expect(JSON.stringify(JSON.parse(given))).toBe(optionsIn(expected));
  });
});
