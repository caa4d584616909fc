/**
 * `npm run jest -- …`: runs jest with a Redis and a PostgreSQL of its own, which stop at the end. Temporary files
 * of the tests are removed if all pass, and kept otherwise. The tests get TEST_REDIS_URL, TEST_DATABASE_URL,
 * TEST_SANDBOX (whether commands can run in a sandbox), TEST_DATABASES (a folder for embedded databases),
 * TEST_EMPTY_DATABASE (an empty database to copy), TEST_EMPTY_TEMPLATE (the same on the server), TEST_CHROMIUM and
 * TEST_PYTHON and TEST_PGBOUNCER (programs).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';
import { extract } from 'tar';
import { importSource } from './import-source.mjs';
import { findChromium } from './services/find-chromium.mjs';
import { findPgBouncer } from './services/find-pgbouncer.mjs';
import { findPython } from './services/find-python.mjs';
import { findSandbox } from './services/find-sandbox.mjs';
import { memoryFolder } from './services/memory-folder.mjs';
import { startServices } from './services/start-services.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Options of jest and its workers: threads that collect garbage beside each of them would take cores from the others. */
const nodeOptions = [
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
];

process.exitCode = await main();

async function main() {
  const log = (line) => console.error(line);
  const fault = findSandbox(log);
  if (fault !== undefined) {
    log(`NOTHING IN A SANDBOX IS TESTED: ${fault}. Commands are tested without one only.`);
  }
  const chromium = findChromium(log);
  if ('fault' in chromium) log(`NOTHING IN A BROWSER IS TESTED: ${chromium.fault}.`);
  const python = findPython(log);
  if (python === undefined) {
    log(
      'NOTHING IN PYTHON IS TESTED: there is no Python 3.11 with httpx and pydantic (Debian: apt-get install python3-httpx python3-pydantic).',
    );
  }
  const pgBouncer = findPgBouncer(log);
  if (pgBouncer === undefined) {
    log('NOTHING BEHIND PGBOUNCER IS TESTED: there is none (Debian: apt-get install pgbouncer).');
  }
  let services;
  try {
    services = await startServices({ log });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
  try {
    return await runJest(services, {
      hasSandbox: fault === undefined,
      chromium: 'program' in chromium ? chromium.program : undefined,
      python,
      pgBouncer,
    });
  } finally {
    await services.stop();
  }
}

async function runJest({ redisUrl, databaseUrl }, { hasSandbox, chromium, python, pgBouncer }) {
  const temporary = mkdtempSync(path.join(tmpdir(), 'turnpike-tests-'));
  // PostgreSQL runs as a different user, in a subfolder.
  chmodSync(temporary, 0o755);
  const template = await emptyTemplate(databaseUrl);
  const databases = mkdtempSync(path.join(memoryFolder(), 'turnpike-databases-'));
  const untested = [
    ...(hasSandbox ? [] : ['integration/sandbox\\.test']),
    ...(chromium === undefined ? ['/test/browser/'] : []),
    ...(pgBouncer === undefined ? ['distributed/pgbouncer\\.test'] : []),
    ...(python === undefined ? ['clients/python-client\\.test'] : []),
  ];
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const child = spawn(
    process.execPath,
    [
      ...nodeOptions,
      jest,
      ...process.argv.slice(2),
      ...untested.flatMap((pattern) => ['--testPathIgnorePatterns', pattern]),
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        TMPDIR: temporary,
        TEST_REDIS_URL: redisUrl,
        TEST_DATABASE_URL: databaseUrl,
        TEST_DATABASES: databases,
        TEST_EMPTY_TEMPLATE: template,
        TEST_EMPTY_DATABASE: emptyDatabase(databases),
        TEST_SANDBOX: hasSandbox ? 'bubblewrap' : 'none',
        ...(chromium === undefined ? {} : { TEST_CHROMIUM: chromium }),
        ...(python === undefined ? {} : { TEST_PYTHON: python }),
        ...(pgBouncer === undefined ? {} : { TEST_PGBOUNCER: pgBouncer }),
      },
    },
  );
  // A signal to this process goes to the tests; the services stop after them.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  await withClient(databaseUrl, (client) => client.query(`drop database ${template}`));
  rmSync(databases, { recursive: true, force: true, maxRetries: 10 });
  if (code === 0) rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
  else console.error(`What the tests left is in ${temporary}`);
  return code ?? 1;
}

/** The template for `create database`, which is copied in milliseconds: migrated once for all suites. */
async function emptyTemplate(databaseUrl) {
  const name = `empty_${process.pid}`;
  await withClient(databaseUrl, (client) => client.query(`create database ${name}`));
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const migrationsFolder = path.join(root, 'dist/migrations');
  await withClient(url.href, async (client) => {
    await migrate(drizzle(client), { migrationsFolder });
    await checkRegister(client);
  });
  return name;
}

/** A table that is not in the register would be left out of exports, forks and the erasure of a principal. */
async function checkRegister(client) {
  const [{ compareTables }] = await importSource(['src/storage/tables']);
  const { rows } = await client.query(
    `select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_contracts'`,
  );
  const different = compareTables(rows.map(({ tablename }) => tablename));
  if (different.length > 0) {
    throw new Error(
      `src/storage/tables.ts and the database differ in their tables: ${different.join(', ')}`,
    );
  }
}

async function withClient(connectionString, work) {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** The empty embedded database: the build's image, unpacked. */
function emptyDatabase(databases) {
  const folder = path.join(databases, 'empty');
  mkdirSync(folder);
  const file = path.join(root, 'dist/empty-database.tar.gz');
  extract({ file, cwd: folder, sync: true, strict: true });
  return folder;
}
