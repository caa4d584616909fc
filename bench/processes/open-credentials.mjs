import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/**
 * What the load authenticates with.
 *
 * @typedef {object} Credentials
 * @property {Record<string, string>} env of the servers.
 * @property {(env: Record<string, string>) => Promise<string>} authorization for a server that was started with
 *   these variables.
 * @property {() => Promise<unknown>} close
 *
 * @typedef {object} CredentialKinds several kinds, which one server takes.
 * @property {Record<string, string>} env of the servers.
 * @property {(env: Record<string, string>) => Promise<Authorizations>} authorizations for a server that was started
 *   with these variables.
 * @property {() => Promise<unknown>} close
 *
 * @typedef {Partial<Record<AuthKind, string>>} Authorizations headers of requests.
 */

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const run = promisify(execFile);

/** @typedef {'none' | 'key' | 'token'} AuthKind */

/** @type {readonly AuthKind[]} */
export const authKinds = ['none', 'key', 'token'];

/** @param {readonly AuthKind[]} kinds @param {string} folder @returns {Promise<CredentialKinds | undefined>} */
export async function openCredentials(kinds, folder) {
  /** @type {[AuthKind, Credentials][]} */
  const opened = [];
  for (const kind of kinds) {
    if (kind !== 'none') opened.push([kind, kind === 'key' ? keys : await openIssuer(folder)]);
  }
  if (opened.length === 0) return undefined;
  const all = opened.map(([, credentials]) => credentials);
  return {
    // Principals have folders of their own, and the one that the operator opens.
    env: Object.assign(
      { TURNPIKE_PROJECT_ROOTS: path.join(folder, 'project') },
      ...all.map(({ env }) => env),
    ),
    authorizations: async (env) => {
      /** @type {Authorizations} */
      const headers = {};
      for (const [kind, { authorization }] of opened) headers[kind] = await authorization(env);
      return headers;
    },
    close: () => Promise.all(all.map(({ close }) => close())),
  };
}

/** @type {Credentials} A key of the database, made by the command line. */
const keys = {
  env: {},
  authorization: async (env) => {
    const args = [cli, 'keys', 'create', '--principal', 'bench', '--json'];
    const { stdout } = await run(process.execPath, args, {
      env: { PATH: process.env['PATH'], ...env },
    });
    return `Bearer ${JSON.parse(stdout).secret}`;
  },
  close: async () => undefined,
};

/** An identity provider on a loopback address, and a token of one person. @param {string} folder */
async function openIssuer(folder) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' };
  let url = '';
  const server = createServer((request, response) => {
    const isKeys = request.url === '/keys';
    response.end(
      JSON.stringify(isKeys ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const file = path.join(folder, 'auth.json');
  const issuer = { name: 'bench', issuer_url: url, audiences: ['bench'], roles: [{ group: '*' }] };
  await writeFile(file, JSON.stringify({ issuers: [issuer] }));
  const token = await new SignJWT({
    sub: 'bench',
    email: 'bench@example.com',
    groups: ['a', 'b', 'c'],
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench', typ: 'at+jwt' })
    .setIssuer(url)
    .setAudience('bench')
    .setExpirationTime('4h')
    .sign(privateKey);
  return {
    env: { TURNPIKE_AUTH_FILE: file },
    authorization: async () => `Bearer ${token}`,
    close: async () => server.close(),
  };
}
