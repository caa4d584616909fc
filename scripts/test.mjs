/**
 * Runs jest with a Redis and a PostgreSQL of its own: `npm run jest -- …`. They are given to the
 * tests as TEST_REDIS_URL and TEST_DATABASE_URL, and stopped at the end, however it ends. What
 * tests put in temporary folders is removed when they pass, and kept when one fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServices } from './services/start-services.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

process.exitCode = await main();

async function main() {
  let services;
  try {
    services = await startServices({ say: (line) => console.error(line) });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
  try {
    return await runJest(services);
  } finally {
    await services.stop();
  }
}

async function runJest({ redisUrl, databaseUrl }) {
  const temporary = mkdtempSync(path.join(tmpdir(), 'turnpike-tests-'));
  // PostgreSQL runs as another user, in a folder inside.
  chmodSync(temporary, 0o755);
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      jest,
      ...process.argv.slice(2),
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        TMPDIR: temporary,
        TEST_REDIS_URL: redisUrl,
        TEST_DATABASE_URL: databaseUrl,
      },
    },
  );
  // A signal to this process is one to the tests; the services are stopped after them.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  if (code === 0) rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
  else console.error(`What the tests left is in ${temporary}`);
  return code ?? 1;
}
