/**
 * `npm test` and, with `--all`, `npm run test:all`: the suites, with the checks beside them in the time that the suites
 * leave idle. What the checks say comes after the tests, if one of them failed. Suites that take long need
 * TEST_RELEASE. Other arguments are for jest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { firstSuites } from '../jest.config.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const startedAt = Date.now();

const isAll = process.argv.includes('--all');
const forJest = process.argv.slice(2).filter((argument) => argument !== '--all');
const isRelease = process.env.TEST_RELEASE !== undefined;

/** Of the types and rules, those of the files that run: what other suites import is not installed for these. */
const firstChecks = [
  `oxlint --type-aware --type-check --deny-warnings src rehearsal web ${firstSuites.join(' ')}`,
  'npm run --silent imports',
  'npm run --silent format:check',
];

// Into one stream, in which a fault stands below the name of its check.
const command = isAll ? 'npm run --silent check' : firstChecks.join(' && ');
const checks = spawn(`(${command}) 2>&1`, {
  cwd: root,
  shell: true,
  stdio: ['ignore', 'pipe', 'inherit'],
});
// Its children have it too. Suites whose processes wait for each other come first.
if (checks.pid !== undefined) setPriority(checks.pid, constants.priority.PRIORITY_BELOW_NORMAL);
const scope = isRelease ? {} : { TEST_SCOPE: isAll ? 'all' : 'first' };
const tests = spawn(process.execPath, [path.join(root, 'scripts/test.mjs'), ...forJest], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...scope },
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    checks.kill(signal);
    tests.kill(signal);
  });
}
const checked = Promise.all([once(checks, 'close'), text(checks.stdout)]).then(([[code], said]) => {
  console.error(code === 0 ? 'All checks passed.' : 'A CHECK FAILED: see below the tests.');
  return { code, said };
});
const [testCode] = await once(tests, 'exit');
const { code: checkCode, said } = await checked;
if (checkCode !== 0) console.error(`\n${said}\nA CHECK FAILED: see above.`);
const isPassed = testCode === 0 && checkCode === 0;
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.error(`\n${isPassed ? 'Passed' : 'FAILED'} after ${seconds} s.`);
if (!isAll) {
  console.error(
    'Left out: most suites over HTTP, in a browser, with processes that die and with clients of other people; checks of ' +
      'documentation, dead code, the package and the deployment. Everything: npm run test:all',
  );
}
if (isAll && !isRelease)
  console.error('Left out: what takes minutes. All of it: npm run test:release');
process.exitCode = isPassed ? 0 : 1;
