/** `npm run bench`: see README.md beside this file. */
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUpAtExit } from '../scripts/services/clean-up-at-exit.mjs';
import { parseOptions, usage } from './options.mjs';
import { openCredentials } from './processes/open-credentials.mjs';
import { openLoad } from './processes/open-load.mjs';
import { openStores } from './processes/open-stores.mjs';
import { startProcess } from './processes/start-process.mjs';
import { runChecks } from './checks/run-checks.mjs';
import { judgeFaults, judgeTargets } from './report/judge-targets.mjs';
import { renderReport } from './report/render-report.mjs';
import { runScenarios } from './run-scenarios.mjs';
import { scenariosFor } from './scenarios.mjs';

const here = (/** @type {string} */ file) => fileURLToPath(new URL(file, import.meta.url));
const log = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

/** Time after which a quick run begins nothing more, in ms: with the longest round it ends within 8 minutes. */
const QUICK_MS = 420_000;

/** Ended in reverse, however the bench ends. @type {(() => Promise<unknown>)[]} */
const stops = [];
let stopping = false;

async function stopAll() {
  for (const stop of stops.splice(0).reverse()) {
    try {
      await stop();
    } catch (error) {
      log(`Could not be stopped: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
  }
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    process.exitCode = 130;
    // What runs fails, and the table is printed.
    void stopAll();
  });
}

try {
  await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!stopping) log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
} finally {
  if (!stopping) await stopAll();
}

/** @param {import('./options.mjs').Options | 'help'} options */
async function main(options) {
  if (options === 'help') return void process.stdout.write(`${usage}\n`);
  if (!existsSync(here('../dist/main.js'))) throw new Error('Run `npm run build` first.');
  const startedAt = Date.now();
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-bench-'));
  // Last, and retried: a killed process may still be writing.
  cleanUpAtExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const projectRoot = path.join(folder, 'project');
  await mkdir(projectRoot);
  const stores = options.targets.includes('distributed') ? await openStores(log) : undefined;
  if (stores !== undefined) stops.push(stores.close);
  const model = await startProcess({
    name: 'model',
    script: here('model/serve-model.mjs'),
    cwd: folder,
  });
  stops.push(() => model.stop());
  const load = openLoad();
  stops.push(load.close);
  const credentials = await openCredentials(options.auth, folder);
  if (credentials !== undefined) stops.push(credentials.close);
  const cpuProfiles =
    options.cpuProfiles === undefined ? undefined : path.resolve(options.cpuProfiles);
  const context = {
    options,
    setup: { folder, modelUrl: model.url, stores, cpuProfiles, credentials },
    projectRoot,
    load,
    stores,
    others: { model: model.pid, client: load.pid },
    rounds: {},
    checks: [],
    isOver: () => stopping || (options.quick && Date.now() - startedAt > QUICK_MS),
    services: known({ redis: stores?.redisPid(), postgres: stores?.postgresPid() }),
    log,
    onStop: (/** @type {() => Promise<unknown>} */ stop) => void stops.push(stop),
  };
  try {
    await runScenarios(context);
    await runChecks(context);
  } finally {
    // Whatever was cut short: what was measured until then is in the table.
    const { rounds, checks } = context;
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    process.stdout.write(renderReport({ options, rounds, checks, seconds }));
    await writeJson({ options, rounds, checks, seconds });
    const verdicts = options.strict
      ? judgeTargets(rounds, scenariosFor(options.quick), checks)
      : judgeFaults(rounds, checks);
    if (verdicts.some(({ met }) => met !== true)) process.exitCode ??= 1;
  }
}

/** @param {import('./report/render-report.mjs').Report} report */
async function writeJson({ options, ...report }) {
  if (options.json !== undefined) {
    await writeFile(options.json, `${JSON.stringify({ options, ...report }, null, 1)}\n`);
  }
}

/** @param {Record<string, number | undefined>} pids @returns {Record<string, number>} */
function known(pids) {
  /** @type {Record<string, number>} */
  const all = {};
  for (const [name, pid] of Object.entries(pids)) if (pid !== undefined) all[name] = pid;
  return all;
}
