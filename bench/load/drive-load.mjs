/**
 * The load client, a separate process. A message `{id, prepare}` makes the sessions of a run, `{id, run: true}`
 * runs the prepared load and answers with a summary.
 */
import { Agent } from 'node:http';
import { nowMicros } from '../stamp.mjs';
import { holdConversation } from './hold-conversation.mjs';
import { openSession, openSessions } from './open-sessions.mjs';
import { readTurn } from './read-turn.mjs';
import { runStreams } from './run-streams.mjs';
import { summarise } from './summarise.mjs';
import { wires } from './wires.mjs';

/**
 * @typedef {object} Load
 * @property {string} wire @property {string} projectRoot
 * @property {string[]} urls of the target, which take turns as behind a load balancer.
 * @property {string | undefined} [authorization] header of its requests; absent: none.
 * @property {import('../scenarios.mjs').Scenario} scenario
 *
 * @typedef {{id: number, prepare?: Load, run?: boolean}} Order
 */

/** @type {(() => Promise<import('./summarise.mjs').Summary>) | undefined} */
let prepared;

process.on('message', (/** @type {Order} */ order) => {
  const work = order.prepare === undefined ? runPrepared() : prepare(order.prepare);
  work.then(
    (result) => process.send?.({ id: order.id, result: result ?? null }),
    (error) => process.send?.({ id: order.id, error: String(error?.stack ?? error) }),
  );
});
process.once('disconnect', () => process.exit(0));

/** @param {Load} load */
async function prepare({ wire: name, urls, projectRoot, scenario, authorization }) {
  const wire = wires[name];
  const [first = ''] = urls;
  if (wire === undefined) throw new Error(`There is no wire ${name}`);
  const { deltas, turns, turnsOfSession = 1 } = scenario;
  const makesSessions = wire.sessions && scenario.makesSessions === true;
  const sessions =
    wire.sessions && !makesSessions
      ? await openSessions(first, turns / turnsOfSession, projectRoot, authorization)
      : [];
  const agent = new Agent({ keepAlive: true });
  prepared = async () => {
    const reads = await runStreams(scenario, async (index) => {
      const url = urls[index % urls.length] ?? first;
      const beginMicros = nowMicros();
      const sessionId = makesSessions
        ? await openSession({ url, projectRoot, agent, authorization })
        : (sessions[index] ?? '');
      const conversation = holdConversation({ wire, sessionId, turn: scenario });
      return async () => {
        const body = conversation.ask();
        // A session that is made for its turn is part of it.
        const startMicros = makesSessions ? beginMicros : nowMicros();
        const read = await readTurn({ wire, url, agent, body, deltas, startMicros, authorization });
        if (turnsOfSession > 1) conversation.hear(read);
        return read;
      };
    });
    agent.destroy();
    return summarise(reads, deltas);
  };
}

function runPrepared() {
  const run = prepared;
  prepared = undefined;
  if (run === undefined) throw new Error('Nothing was prepared');
  return run();
}
