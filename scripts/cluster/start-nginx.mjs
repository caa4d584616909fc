/** Starts the gateway of `deploy/nginx.conf` on other ports. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUpAtExit } from '../services/clean-up-at-exit.mjs';
import { freePort, untilListening } from '../services/free-port.mjs';
import { stopChild } from '../services/stop-child.mjs';
import { findNginx } from './find-nginx.mjs';

const config = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../deploy/nginx.conf');

/**
 * @param {{apiUrls: string[], port?: number}} options
 * @returns {Promise<{url: string, stop: () => Promise<void>} | undefined>} undefined without nginx.
 */
export async function startNginx({ apiUrls, port }) {
  const nginx = findNginx();
  if (nginx === undefined) return undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-nginx-'));
  const listen = port ?? (await freePort());
  const file = path.join(folder, 'nginx.conf');
  const hosts = apiUrls.map((url) => new URL(url).host);
  await writeFile(file, renderNginx(await readFile(config, 'utf8'), { hosts, listen, folder }));
  const child = spawn(nginx, ['-c', file, '-p', folder, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Detached: a Ctrl-C reaches only the parent, which stops everything in order.
    detached: true,
  });
  // SIGKILL would leave nginx's workers running.
  const forget = cleanUpAtExit(() => {
    child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const stop = async () => {
    await stopChild(child, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
    forget();
  };
  let printed = '';
  const keep = (text) => (printed = (printed + text).slice(-4_000));
  child.stderr.setEncoding('utf8').on('data', keep);
  child.once('error', keep);
  const hasEnded = () =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  try {
    await untilListening(listen, () => (hasEnded() ? `nginx ended:\n${printed}` : undefined));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://127.0.0.1:${listen}`, stop };
}

/**
 * The shipped configuration with other ports and folders, so that the deployed file is the tested one. Pure.
 *
 * @param {string} shipped
 * @param {{hosts: string[], listen: number, folder: string}} target
 */
function renderNginx(shipped, { hosts, listen, folder }) {
  const servers = hosts.map((host) => `    server ${host} max_fails=1 fail_timeout=2s;\n`);
  return shipped
    .replace(/( {4}server 127\.0\.0\.1:\d+ [^\n]*\n)+/, servers.join(''))
    .replace(/listen \d+;/, `listen 127.0.0.1:${listen};`)
    .replaceAll('/tmp/turnpike-nginx', path.join(folder, 'nginx'));
}
