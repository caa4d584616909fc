import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../test/support/turn/store-turn.js';
import type { OpenedDatabase } from './connection.js';
import { migrationsFolder } from './migrate-database.js';
import type { ToolCallStatus } from './shapes/stored-turn.js';
import { toolCalls } from './transcript-schema.js';

let database: OpenedDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it('calls that earlier versions stored as denied, and did not run, are refused', async () => {
  const { db } = database;
  const turnId = await storeTurn(db, { sessionId: await storeSession(db), status: 'completed' });
  const rows: [ToolCallStatus, string, ToolCallStatus][] = [
    ['denied', 'not run: the turn reached its limit', 'refused'],
    ['denied', 'not run: \0 of the client', 'refused'],
    ['denied', 'permission denied: not run: it may not', 'denied'],
    ['error', 'not run: the tool bash is off in this turn.', 'error'],
  ];
  const call = { turnId, step: 1, attempt: 1, name: 'bash', input: {}, claimedAt: new Date() };
  await db.insert(toolCalls).values(
    rows.map(([status, output, expected], index) => ({
      ...call,
      callId: `${expected}-${index}`,
      status,
      output,
    })),
  );
  const file = await readFile(path.join(migrationsFolder, '0017_refused_calls.sql'), 'utf8');
  for (const statement of file.split('--> statement-breakpoint')) await db.execute(statement);
  const found = await db.select().from(toolCalls);
  for (const { callId, status } of found) expect(callId).toMatch(new RegExp(`^${status}-`));
  expect(found).toHaveLength(rows.length);
});
