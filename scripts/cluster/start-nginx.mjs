/** The gateway of `deploy/nginx.conf`, with ports of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../services/find-programs.mjs';
import { freePort, untilListening } from '../services/free-port.mjs';

const config = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../deploy/nginx.conf');

/**
 * @param {{apiUrls: string[], port?: number}} options
 * @returns {Promise<{url: string, stop: () => Promise<void>} | undefined>} undefined without nginx.
 */
export async function startNginx({ apiUrls, port }) {
  const nginx = findProgram('nginx', ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']);
  if (nginx === undefined) return undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-nginx-'));
  const listen = port ?? (await freePort());
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, renderConfig(await readFile(config, 'utf8'), { apiUrls, listen, folder }));
  const child = spawn(nginx, ['-c', file, '-p', folder, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A Ctrl-C is for who started this, which stops everything in order.
    detached: true,
  });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-4_000)));
  await untilListening(listen, () =>
    child.exitCode === null ? undefined : `nginx ended:\n${said}`,
  );
  return {
    url: `http://127.0.0.1:${listen}`,
    stop: async () => {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The shipped file with other ports and folders: what is tried here is what is deployed. Pure. */
export function renderConfig(shipped, { apiUrls, listen, folder }) {
  const servers = apiUrls.map(
    (url) => `    server ${new URL(url).host} max_fails=1 fail_timeout=2s;`,
  );
  return shipped
    .replace(/( {4}server 127\.0\.0\.1:\d+ [^\n]*\n)+/, `${servers.join('\n')}\n`)
    .replace(/listen \d+;/, `listen 127.0.0.1:${listen};`)
    .replaceAll('/tmp/turnpike-nginx', path.join(folder, 'nginx'));
}
