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

async function makeDatabase(template: string): Promise<NewDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database ${name} template ${template}`);
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(`drop database ${name} with (force)`) };
}

async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: testDatabaseUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
