/**
 * The load client, a separate process. A message `{id, prepare}` makes the sessions of a run, `{id, run: true}`
 * runs the prepared load and answers with a summary.
 */
import { Agent } from 'node:http';
import { openSessions } from './open-sessions.mjs';
import { readTurn } from './read-turn.mjs';
import { runStreams } from './run-streams.mjs';
import { summarise } from './summarise.mjs';
import { wires } from './wires.mjs';

/**
 * @typedef {object} Load
 * @property {string} wire @property {string} url @property {string} projectRoot
 * @property {import('../scenarios.mjs').Scenario} scenario
 *
 * @typedef {{id: number, prepare?: Load, run?: boolean}} Order
 */

const turnTimeoutMs = 120_000;

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
async function prepare({ wire: name, url, projectRoot, scenario }) {
  const wire = wires[name];
  if (wire === undefined) throw new Error(`There is no wire ${name}`);
  const { deltas, gapMs, turns } = scenario;
  const sessions = wire.sessions ? await openSessions(url, turns, projectRoot) : [];
  const message = `[[tokens=${deltas}${gapMs > 0 ? ` gap=${gapMs}` : ''}]]`;
  const bodies = Array.from({ length: turns }, (_, turn) =>
    JSON.stringify(wire.body(message, sessions[turn] ?? '')),
  );
  const agent = new Agent({ keepAlive: true });
  prepared = async () => {
    const reads = await runStreams(scenario, (turn) =>
      readTurn({ wire, url, agent, body: bodies[turn] ?? '', deltas, timeoutMs: turnTimeoutMs }),
    );
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
