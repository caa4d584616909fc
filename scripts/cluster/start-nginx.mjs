/** Starts the gateway of `deploy/nginx.conf` on other ports, with or without its lines for TLS. */
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
 * @param {{apiUrls: string[], port?: number, tls?: {certificate: string, key: string}}} options `tls`: PEM files; the
 *   lines of the configuration that are for TLS are taken.
 * @returns {Promise<{url: string, stop: () => Promise<void>} | undefined>} undefined without nginx.
 */
export async function startNginx({ apiUrls, port, tls }) {
  const nginx = findNginx();
  if (nginx === undefined) return undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-nginx-'));
  const listen = port ?? (await freePort());
  const file = path.join(folder, 'nginx.conf');
  const hosts = apiUrls.map((url) => new URL(url).host);
  const shipped = await readFile(config, 'utf8');
  const chosen =
    tls === undefined ? shipped : withTls(shipped, { ...tls, redirect: await freePort() });
  await writeFile(file, renderNginx(chosen, { hosts, listen, folder }));
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
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${listen}`, stop };
}

/**
 * The shipped configuration with its lines for TLS, as a reader of its comments takes them. Pure.
 *
 * @param {string} shipped
 * @param {{certificate: string, key: string, redirect: number}} files `redirect`: the port that sends browsers to TLS.
 */
function withTls(shipped, { certificate, key, redirect }) {
  return shipped
    .replace(/^ *listen 8080;\n/m, '')
    .replaceAll(
      /^( *)# ((?:listen 443|listen 80;|server_name|ssl_|server \{|return 308).*|\}|  .*;)$/gm,
      '$1$2',
    )
    .replace('/etc/nginx/tls/fullchain.pem', certificate)
    .replace('/etc/nginx/tls/privkey.pem', key)
    .replace('listen 80;', `listen 127.0.0.1:${redirect};`);
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
    .replace(/^( *listen) \d+/m, `$1 127.0.0.1:${listen}`)
    .replaceAll('/tmp/turnpike-nginx', path.join(folder, 'nginx'));
}
