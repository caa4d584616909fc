import { sendJson } from '../load/send-json.mjs';
import { countAccess } from '../load/world.mjs';

/** @typedef {import('../types.js').World} World */

/** A request of each kind that a client may send for what is not its own. */
const requests = /** @type {const} */ ([
  { method: 'GET', of: 'session', path: '/api/harness/sessions/ID/turns' },
  { method: 'POST', of: 'session', path: '/api/harness/sessions/ID/fork' },
  { method: 'POST', of: 'session', path: '/api/harness/interrupt' },
  { method: 'POST', of: 'session', path: '/api/harness/turn' },
  { method: 'GET', of: 'turn', path: '/api/harness/turns/ID' },
  { method: 'GET', of: 'turn', path: '/api/harness/turns/ID/events' },
]);

/**
 * Asks for a session, or a turn, of somebody else, which must be as if it did not exist.
 *
 * @param {World} world of a person
 * @param {import('../plan/random.mjs').Random} random
 */
export async function askForeign(world, random) {
  const { person, sessions, tally } = world;
  const foreign = sessions.filter(
    ({ owner, line }) => owner !== person?.principal && line.length > 0,
  );
  if (person === undefined || foreign.length === 0) return;
  const { sessionId, line } = random.pick(foreign);
  const turnId = line.at(-1)?.turnId ?? '';
  const { method, of, path } = random.pick(requests);
  const body = method === 'GET' ? {} : { body: { sessionId, turnId, message: 'Mine?' } };
  const answer = await sendJson(world, {
    route: `${method} foreign ${of}`,
    method,
    path: path.replace('ID', of === 'turn' ? turnId : sessionId),
    ...body,
  });
  if (answer.status === 404) return countAccess(tally, 'foreign requests refused');
  if (answer.status === 401 && person.leaves) return;
  const note = `${method} ${path} of ${sessionId} by ${person.principal}: ${answer.status}`;
  tally.violations.push({ kind: 'foreign-read', turnId, note });
}
