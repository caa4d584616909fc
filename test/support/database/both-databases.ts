import type { OpenedDatabase } from '../../../src/storage/connection.js';
import { openPostgres } from '../../../src/storage/postgres-database.js';
import { openTestDatabase } from './database.js';
import { newDatabase } from './new-database.js';

/**
 * Databases that a rule about races is tested on. The embedded engine runs transactions in
 * sequence; only the server lets them meet.
 */
export const bothDatabases: readonly [name: string, open: () => Promise<OpenedDatabase>][] = [
  ['the embedded engine', openTestDatabase],
  ['PostgreSQL', openServerDatabase],
];

/** An empty database on the tests' PostgreSQL, dropped when it is closed. */
export async function openServerDatabase(): Promise<OpenedDatabase> {
  const { url, drop } = await newDatabase();
  const opened = await openPostgres({ url, connections: 8, onError: () => undefined });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await drop();
    },
  };
}
