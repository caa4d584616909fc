/**
 * `npm run test:nodes`, for a release: `npm start` up to a first turn, and `npm test`, on Nodes that people have, each in
 * a clone of its own in a folder with blanks. Nodes and their npm come from the npm registry. `-- 22 24` names others.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fetchNode, runNpm } from './bring-node.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
/** npm 11 needs Node 20. */
const npmOf = (/** @type {number} */ major) => (major < 20 ? 10 : 11);
const named = process.argv.slice(2).map(Number);
const majors = named.length > 0 ? named : [18, 20, 22, 24, 26];

for (const major of majors) {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike nodes '));
  const fault = await tryNode(major, folder);
  if (fault !== undefined) {
    console.error(`Node ${major}: ${fault} (see above; the clone is in ${folder}).`);
    process.exit(1);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** @param {number} major @param {string} folder */
async function tryNode(major, folder) {
  const node = await fetchNode(root, major);
  const npm = path.join(folder, 'npm');
  mkdirSync(npm);
  const flags = ['--no-save', '--no-fund', '--no-audit', '--loglevel=error', '--prefix', npm];
  if ((await runNpm(['install', ...flags, `npm@${npmOf(major)}`], npm)) !== 0) return 'has no npm';
  const clone = path.join(folder, 'a clone');
  spawnSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  // As in a shell of somebody who has this Node: nothing of the run that calls this.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)),
  );
  env.PATH = [path.dirname(node), path.join(npm, 'node_modules/.bin'), env.PATH].join(
    path.delimiter,
  );
  const run = (/** @type {string[]} */ args) =>
    spawn(node, [path.join(npm, 'node_modules/npm/bin/npm-cli.js'), ...args], {
      cwd: clone,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  console.error(`Node ${major}: npm start`);
  if (!(await takesTurn(run(['start'])))) return 'npm start serves no turn';
  console.error(`Node ${major}: npm test`);
  const tests = run(['test']);
  tests.stdout.resume();
  const [code] = await once(tests, 'exit');
  return code === 0 ? undefined : 'npm test failed';
}

/** Sends a turn to a server that starts, and ends it. @param {import('node:child_process').ChildProcess} server */
async function takesTurn(server) {
  const ended = once(server, 'exit');
  let isAnswered = false;
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /"url":"([^"]+)"/.exec(line)?.[1];
    if (url === undefined) continue;
    const answer = await fetch(`${url}/agent/reader/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Hello' }),
    });
    isAnswered = answer.ok && (await answer.text()).includes('You wrote');
    // As a terminal does, to all of them: npm passes it on to nobody.
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGINT');
  }
  await ended;
  return isAnswered;
}
