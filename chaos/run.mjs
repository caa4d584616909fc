/** `npm run chaos`: exits with 0 without violations, 1 with violations, 2 if it could not run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { parseArguments, usage } from './parse-arguments.mjs';
import { writeReport } from './report/write-report.mjs';
import { runChaos } from './run-chaos.mjs';

/** The most violations that are printed; the folder has all. */
const MAX_SHOWN = 30;

const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

process.exit(await main());

async function main() {
  // Services of the environment must survive: this run kills its own.
  delete process.env['TEST_REDIS_URL'];
  delete process.env['TEST_DATABASE_URL'];
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // The first signal aborts the run; later ones must not interrupt the cleaning up.
    process.on(signal, () => stop.abort(new Error(`Stopped by ${signal}`)));
  }
  let options;
  try {
    options = parseArguments(process.argv.slice(2));
  } catch (error) {
    print(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-chaos-'));
  print(`Seed ${options.seed}; logs in ${folder}`);
  try {
    const result = await runChaos({ ...options, folder, log: print }, stop.signal);
    const report = writeReport(result, options);
    print(`\n${report}\n`);
    const { violations } = result;
    if (violations.length === 0 && !options.keep) {
      await rm(folder, { recursive: true, force: true });
      return 0;
    }
    await writeFile(path.join(folder, 'report.md'), report);
    await writeFile(path.join(folder, 'violations.json'), JSON.stringify(violations, null, 2));
    await writeFile(path.join(folder, 'offenders.json'), JSON.stringify(result.offenders, null, 1));
    for (const { kind, turnId, note } of violations.slice(0, MAX_SHOWN)) {
      print(`- ${kind} ${turnId}: ${note}`);
    }
    if (violations.length > MAX_SHOWN) print(`… and ${violations.length - MAX_SHOWN} more`);
    if (violations.length > 0)
      print(`\nAgain: npm run chaos -- ${process.argv.slice(2).join(' ')}`);
    print(`Seed ${options.seed}; logs, violations and offending turns in ${folder}`);
    return violations.length > 0 ? 1 : 0;
  } catch (error) {
    print(`The run broke off; logs in ${folder}`);
    print(inspect(error));
    return 2;
  }
}
