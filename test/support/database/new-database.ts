import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { given, testDatabaseUrl } from '../processes/test-services.js';

export interface NewDatabase {
  url: string;
  /** Drops the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** An empty, migrated database on the tests' PostgreSQL. */
export function newDatabase(): Promise<NewDatabase> {
  return makeDatabase(given('TEST_EMPTY_TEMPLATE'));
}

/** A database without any table. */
export function newBareDatabase(): Promise<NewDatabase> {
  return makeDatabase('template0');
}

/** A copy of a database that nobody is connected to. */
export function copyDatabase(url: string): Promise<NewDatabase> {
  return makeDatabase(new URL(url).pathname.slice(1));
}

/** The first version that copies a template page by page through its log, which takes four times the CPU. */
const COPIES_THROUGH_LOG = 150_000;

async function makeDatabase(template: string): Promise<NewDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(async (client) => {
    const { rows } = await client.query<{ version: string }>(
      `select current_setting('server_version_num') as version`,
    );
    const strategy = Number(rows[0]?.version) >= COPIES_THROUGH_LOG ? 'strategy file_copy' : '';
    await client.query(`create database ${name} template ${template} ${strategy}`);
  });
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${name}`;
  const drop = () =>
    administer(async (client) => void (await client.query(`drop database ${name} with (force)`)));
  return { url: url.href, drop };
}

async function administer(work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: testDatabaseUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
