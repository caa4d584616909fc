/**
 * `npm run test:quick`, between two commits: types, all unit tests, and the other suites that the changes since
 * the last commit touch, or those of the last commit if there are none.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Suites other than unit tests. Most of them import the whole server: any change touches them all. */
const MAX_OTHERS = 6;

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

const codes = await Promise.all([
  run('npm', ['run', '--silent', 'lint']),
  run(process.execPath, [
    path.join(root, 'scripts/test.mjs'),
    '--reporters=summary',
    '--testPathPatterns',
    ...chooseSuites(),
  ]),
]);
process.exitCode = codes.some((code) => code !== 0) ? 1 : 0;

function chooseSuites() {
  const isUnit = (file) => /^((web\/)?src|rehearsal)\//.test(path.relative(root, file));
  const changed = changedFiles();
  const touched = changed.length === 0 ? [] : listTests('--findRelatedTests', ...changed);
  const others = touched.filter((file) => !isUnit(file));
  const first = others.filter((file) => changed.includes(file));
  const chosen = [...new Set([...first, ...others])].slice(0, MAX_OTHERS);
  if (others.length > chosen.length) {
    console.error(`npm test runs ${others.length - chosen.length} more suites that this touches.`);
  }
  return [`^${escape(root)}/((web/)?src|rehearsal)/`, ...chosen.map(escape)];
}

/** A pattern that matches exactly this path. */
function escape(file) {
  return file.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function changedFiles() {
  const uncommitted = git('status', '--porcelain', '--no-renames', '--untracked-files=all')
    .filter((line) => !line.slice(0, 2).includes('D'))
    .map((line) => line.slice(3));
  const names =
    uncommitted.length > 0
      ? uncommitted
      : git('diff', '--name-only', '--diff-filter=d', 'HEAD~1', 'HEAD');
  return names.filter((name) => /\.(tsx?|mjs)$/.test(name)).map((name) => path.join(root, name));
}

/** @returns {string[]} absolute paths. */
function listTests(...options) {
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  return linesOf(process.execPath, [jest, '--listTests', ...options]);
}

function git(...command) {
  return linesOf('git', command);
}

function linesOf(program, args) {
  const text = execFileSync(program, args, { cwd: root, encoding: 'utf8' });
  return text.split('\n').filter((line) => line !== '');
}

async function run(program, args) {
  const [code] = await once(spawn(program, args, { cwd: root, stdio: 'inherit' }), 'exit');
  return code ?? 1;
}
