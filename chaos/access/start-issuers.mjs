import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen } from '../load/listen.mjs';

/** The names of the identity providers, which are the first part of their principals' ids. */
const names = /** @type {const} */ (['acme', 'umbra']);

/**
 * Identity providers of the run's own, which outlive all servers.
 *
 * @typedef {object} Issuers
 * @property {Record<string, string>} environment the variables of a server that takes their tokens
 * @property {readonly Issuer[]} issuers
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Issuer
 * @property {string} name
 * @property {(subject: string, seconds: number) => Promise<string>} sign a token of a person, and how long it is good
 */

/**
 * @param {string} folder of the file of issuers
 * @returns {Promise<Issuers>}
 */
export async function startIssuers(folder) {
  const started = await Promise.all(names.map(startIssuer));
  const file = path.join(folder, 'auth.json');
  const entries = started.map(({ name, url }) => ({
    name,
    issuer_url: url,
    audiences: ['chaos'],
    roles: [{ group: '*' }],
  }));
  await writeFile(file, JSON.stringify({ issuers: entries }));
  return {
    environment: { TURNPIKE_AUTH_FILE: file },
    issuers: started,
    close: async () => {
      for (const one of started) await one.close();
    },
  };
}

/** @param {string} name */
async function startIssuer(name) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const header = { kid: `${name}-1`, alg: 'RS256' };
  const keys = [{ ...(await exportJWK(publicKey)), ...header, use: 'sig' }];
  let url = '';
  const served = await listen(async (request, response) => {
    const body = request.url === '/keys' ? { keys } : { issuer: url, jwks_uri: `${url}/keys` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  url = new URL(served.url).origin;
  return {
    name,
    url,
    close: served.close,
    sign: (/** @type {string} */ subject, /** @type {number} */ seconds) =>
      new SignJWT({})
        .setProtectedHeader({ ...header, typ: 'at+jwt' })
        .setIssuer(url)
        .setAudience('chaos')
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime(`${seconds}s`)
        .sign(privateKey),
  };
}
