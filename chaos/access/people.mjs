import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sendJson } from '../load/send-json.mjs';

/** @typedef {import('../types.js').Person} Person */
/** @typedef {import('../types.js').World} World */

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Seconds for which a token of an identity provider is good: its people get many in a run. */
const TOKEN_SECONDS = 30;

/** Seconds for which a page token is good: it ends while its turn goes on. */
const PAGE_SECONDS = 3;

/** Milliseconds before the end of a token from which on a new one is sent. */
const RENEW_MS = 500;

/** Names at each identity provider, and of pages: the same name is somebody else at another. */
const subjects = ['ann', 'bob'];

/**
 * @typedef {object} People
 * @property {readonly Person[]} staying clients take them in turn: two of each kind
 * @property {Person} leaver
 * @property {readonly Person[]} pages those with page tokens
 */

/**
 * The kit itself: it has a key, ends the access of people, and makes page tokens.
 *
 * @param {{ databaseUrl: string, redisUrl: string }} cluster
 * @returns {Promise<Person>}
 */
export async function makeKit({ databaseUrl, redisUrl }) {
  const { PATH = '', HOME = '' } = process.env;
  const scopes = 'turns,approvals,admin,tokens';
  const args = ['keys', 'create', '--principal', 'kit', '--scopes', scopes, '--mints', 'app:*'];
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args, '--json'], {
    env: { PATH, HOME, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
  });
  const header = `Bearer ${JSON.parse(stdout).secret}`;
  return personOf('kit', async () => ({ token: header.slice(7), expiresAt: Infinity }));
}

/**
 * @param {World} kitWorld whose person makes page tokens
 * @param {readonly import('./start-issuers.mjs').Issuer[]} issuers
 * @returns {People}
 */
export function makePeople(kitWorld, issuers) {
  const tokenPerson = (
    /** @type {import('./start-issuers.mjs').Issuer} */ issuer,
    /** @type {string} */ subject,
  ) =>
    personOf(`${issuer.name}:${subject}`, async () => ({
      expiresAt: Date.now() + TOKEN_SECONDS * 1_000,
      token: await issuer.sign(subject, TOKEN_SECONDS),
    }));
  const [first] = issuers;
  if (first === undefined) throw new Error('There is no issuer');
  const pages = subjects.map((subject) =>
    personOf(`app:${subject}`, () => mint(kitWorld, `app:${subject}`)),
  );
  const staying = subjects.flatMap((subject, index) => [
    ...issuers.map((issuer) => tokenPerson(issuer, subject)),
    ...pages.slice(index, index + 1),
  ]);
  return { staying, pages, leaver: tokenPerson(first, 'cleo') };
}

/**
 * @param {World} world
 * @param {string} principal
 */
async function mint(world, principal) {
  const { status, body } = await sendJson(world, {
    route: 'POST token',
    method: 'POST',
    path: '/api/harness/tokens',
    body: { principal, expiresIn: PAGE_SECONDS },
  });
  if (status !== 200) throw new Error(`No page token: ${status} ${JSON.stringify(body)}`);
  return { token: String(body['token']), expiresAt: Date.parse(body['expiresAt']) };
}

/**
 * @param {string} principal
 * @param {() => Promise<{ token: string, expiresAt: number }>} next makes a new token
 * @returns {Person}
 */
function personOf(principal, next) {
  /** @type {ReturnType<typeof next> | undefined} */
  let current;
  /** @type {Person} */
  const person = {
    principal,
    leaves: false,
    endedAt: undefined,
    tokens: 0,
    renew: () => {
      // An identity provider gives nothing to somebody who has left.
      if (!person.leaves) current = undefined;
    },
    credential: async () => {
      if (current !== undefined && Date.now() > (await current).expiresAt - RENEW_MS) {
        person.renew();
      }
      if (current === undefined) {
        person.tokens += 1;
        current = next();
        current.catch(() => (current = undefined));
      }
      const { token, expiresAt } = await current;
      return { authorization: `Bearer ${token}`, expiresAt };
    },
  };
  return person;
}
