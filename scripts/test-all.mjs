/**
 * `npm test`: the suites, with the checks beside them in the time that the suites leave idle. Suites that take long
 * need TEST_RELEASE. What the checks say comes after the tests, if one of them failed. Arguments are for jest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

// Into one stream, in which a fault stands below the name of its check.
const checks = spawn('npm run --silent check 2>&1', {
  cwd: root,
  shell: true,
  stdio: ['ignore', 'pipe', 'inherit'],
});
// Its children have it too. Suites whose processes wait for each other come first.
if (checks.pid !== undefined) setPriority(checks.pid, constants.priority.PRIORITY_BELOW_NORMAL);
const suites = process.env.TEST_RELEASE === undefined ? { TEST_SHORT: '1' } : {};
const tests = spawn(
  process.execPath,
  [path.join(root, 'scripts/test.mjs'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...suites } },
);
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
process.exitCode = testCode === 0 && checkCode === 0 ? 0 : 1;
