import path from 'node:path';

/**
 * The shipped configuration with other ports and folders, so that the deployed file is the tested one. Pure.
 *
 * @param {string} shipped
 * @param {{hosts: string[], listen: number, folder: string}} place
 */
export function renderNginx(shipped, { hosts, listen, folder }) {
  const servers = hosts.map((host) => `    server ${host} max_fails=1 fail_timeout=2s;\n`);
  return shipped
    .replace(/( {4}server 127\.0\.0\.1:\d+ [^\n]*\n)+/, servers.join(''))
    .replace(/listen \d+;/, `listen 127.0.0.1:${listen};`)
    .replaceAll('/tmp/turnpike-nginx', path.join(folder, 'nginx'));
}
