import { endAccess } from './access/end-access.mjs';
import { makeKit, makePeople } from './access/people.mjs';
import { runStranger } from './access/run-stranger.mjs';
import { WATCH_MS } from './access/watch.mjs';
import { TurnAudit } from './audit-turns.mjs';
import { checkDeliveries } from './check/check-deliveries.mjs';
import { checkLines, checkViews } from './check/check-lines.mjs';
import { checkMemory } from './check/check-memory.mjs';
import { checkScheduleRuns } from './check/check-schedule-runs.mjs';
import { checkLeftovers } from './check/check-leftovers.mjs';
import { PERSONA, REDIS_PREFIX } from './cluster/start-cluster.mjs';
import { runFaults } from './faults/run-faults.mjs';
import { measureIdle, measureMemory, waitForQuiet } from './inspect/wait-for-quiet.mjs';
import { loadDeliveries } from './inspect/load-deliveries.mjs';
import { loadLines, readViews } from './inspect/load-lines.mjs';
import { loadMemory } from './inspect/load-memory.mjs';
import { loadSchedules, waitForDueRuns } from './inspect/load-schedules.mjs';
import { createSession } from './load/begin-session.mjs';
import { runLoad } from './load/run-load.mjs';
import { pauseSchedules, runSchedules } from './load/run-schedules.mjs';
import { sendJson } from './load/send-json.mjs';
import { emptyTally, worldFor } from './load/world.mjs';
import { planFaults } from './plan/plan-faults.mjs';

/** Milliseconds after the load in which turns must end. */
const SETTLE_MS = 60_000;

/** Minutes from which on a run waits for the database's pools to shrink. */
const MINUTES_FOR_POOLS = 2;

/** Minutes from which on a run waits for fire times that a dead process holds. */
const MINUTES_FOR_SCHEDULES = 1;

/**
 * @typedef {object} Storm
 * @property {import('./cluster/start-cluster.mjs').Cluster} cluster
 * @property {import('ioredis').Redis} redis
 * @property {import('pg').Pool} pool
 * @property {import('bullmq').Queue} queue
 * @property {import('./load/start-receiver.mjs').Receiver} receiver
 * @property {import('./load/start-hook.mjs').Hook} hook
 * @property {import('./access/start-issuers.mjs').Issuers | undefined} issuers undefined: clients have no credential
 * @property {string} projects
 * @property {import('./run-chaos.mjs').ChaosOptions} options
 * @property {AbortSignal} over
 *
 * @typedef {object} ChaosResult
 * @property {import('./types.js').Fault[]} faults
 * @property {import('./cluster/start-cluster.mjs').Cluster['leftOut']} leftOut
 * @property {import('./audit-turns.mjs').CheckedTurn[]} turns
 * @property {number} begun turns, refused ones among them
 * @property {import('./types.js').Tally} tally
 * @property {import('./types.js').Violation[]} violations
 * @property {import('./types.js').TurnHistory[]} offenders
 * @property {[string, number][]} kept counts of what was checked beside turns
 * @property {import('./check/check-leftovers.mjs').Leftovers} leftovers
 * @property {{ name: string, idleMiB: number | undefined, afterMiB: number | undefined }[]} memory
 * @property {number} deliveries
 * @property {import('./load/start-receiver.mjs').Receiver['received']} received
 * @property {number} loadMs
 */

/**
 * Runs on a started cluster: idle, load under faults, quiet, leftovers.
 *
 * @param {Storm} given
 * @returns {Promise<ChaosResult>}
 */
export async function storm(given) {
  const { cluster, pool, redis, receiver, hook, issuers, projects, options, over } = given;
  const { minutes, seed, log } = options;
  const servers = [...cluster.apis, ...cluster.workers];
  const idle = await measureIdle({ pool, redis, giveUpAt: Date.now() + 30_000 });
  const memoryAtIdle = await measureMemory(servers);

  const kit = issuers && (await makeKit(cluster));
  const { leftOut } = cluster;
  for (const [kind, why] of leftOut) log(`${kind} is left out: ${why}`);
  const faults = planFaults({ ...options, leftOut: [...leftOut.keys()] });
  const startAt = Date.now();
  const stopAt = startAt + minutes * 60_000;
  /** @type {import('./types.js').World} */
  const world = {
    apis: () => cluster.apis.map((api) => api.url()),
    projects,
    persona: PERSONA,
    streams: new Set(),
    active: new Set(),
    sessions: [],
    lines: new Map(),
    giveUpAt: stopAt + SETTLE_MS + (issuers === undefined ? 0 : WATCH_MS),
    ...(kit && { person: kit }),
    tally: emptyTally(),
  };
  over.addEventListener('abort', () => (world.giveUpAt = 0));
  const people = issuers && makePeople(world, issuers.issuers);
  const known = people && [
    people.leaver,
    ...people.staying.filter((one) => !people.pages.includes(one)),
  ];
  for (const person of [undefined, ...(known ?? [])]) {
    await registerWebhook(worldFor(world, person), receiver);
  }
  const audit = new TurnAudit(pool, world);
  const { sessionId } = await createSession({ ...world, sessions: [] }, -1);
  const [begun, triggers] = await Promise.all([
    runLoad(world, {
      seed,
      atOnce: options.turnsAtOnce,
      stopAt,
      onTurn: (history, of) => audit.check(history, of),
      ...(people && { people }),
    }),
    runSchedules(world, { sessionId, stopAt }),
    runFaults({ ...given, world }, faults, { startAt, log }),
    people && endAccess(world, people, { startAt, stopAt }),
    issuers && runStranger(world, issuers, stopAt),
  ]);
  const loadMs = Date.now() - startAt;
  log(`${begun} turns, over after ${Math.round(loadMs / 1000)} s; looking at what is left.`);

  const settledAt = minutes >= MINUTES_FOR_SCHEDULES ? await waitForDueRuns(pool) : undefined;
  await pauseSchedules(world);
  const quiet = { pool, redis, giveUpAt: Date.now() + SETTLE_MS };
  const leftovers = await waitForQuiet(quiet, {
    idle,
    projects,
    servers: servers.length,
    isLong: minutes >= MINUTES_FOR_POOLS,
  });
  world.giveUpAt = Date.now() + SETTLE_MS;
  await audit.checkAgain(projects, hook.asked);
  const outbox = await loadDeliveries(pool);
  const { giveUpAt } = world;
  const lines = await loadLines(pool, giveUpAt);
  const views = await readViews(cluster.views);
  const schedules = await loadSchedules(pool, { giveUpAt, settledAt, triggers });
  const memories = await loadMemory(pool, giveUpAt);
  const memoryAfter = await measureMemory(servers);
  return {
    faults,
    leftOut,
    begun,
    loadMs,
    turns: audit.turns,
    tally: world.tally,
    offenders: audit.offenders,
    violations: [
      ...audit.violations,
      ...world.tally.violations,
      ...checkLeftovers(leftovers, REDIS_PREFIX),
      ...checkDeliveries(outbox, receiver.received),
      ...checkLines(world.sessions, lines),
      ...checkViews(views, world.lines, lines),
      ...schedules.flatMap(checkScheduleRuns),
      ...memories.flatMap(({ calls, files }) => checkMemory(calls, files)),
    ],
    kept: [
      ...countKept({
        lines,
        views,
        schedules,
        calls: memories.flatMap(({ calls }) => calls),
        asked: hook.asked,
      }),
      ...[...world.tally.access].sort(([a], [b]) => a.localeCompare(b)),
      ...(people === undefined ? [] : countTokens(people)),
    ],
    leftovers,
    deliveries: outbox.deliveries.length,
    received: receiver.received,
    memory: servers.map(({ name }, index) => ({
      name,
      idleMiB: memoryAtIdle[index],
      afterMiB: memoryAfter[index],
    })),
  };
}

/**
 * What a run had of what is checked beside turns: a run without it proves nothing.
 *
 * @param {object} kept
 * @param {import('./types.js').LineRow[]} kept.lines
 * @param {import('./types.js').View[]} kept.views
 * @param {import('./types.js').ScheduleRows[]} kept.schedules
 * @param {import('./types.js').MemoryCallRow[]} kept.calls
 * @param {ReadonlyMap<string, import('./types.js').HookRecord>} kept.asked
 * @returns {[string, number][]}
 */
function countKept({ lines, views, schedules, calls, asked }) {
  const runs = schedules.flatMap((schedule) => schedule.runs);
  const answers = [...asked.values()].flatMap((record) => record.answers);
  return [
    ['turns copied by forks', lines.filter((row) => row.copiedFrom !== null).length],
    ['turns that replaced others', lines.filter((row) => row.replaces !== null).length],
    ['superseded turns', lines.filter((row) => row.supersededBy !== null).length],
    ['requests to the model', views.length],
    ['fire times with a turn', runs.filter(isTurnOf('slot')).length],
    ['fire times skipped', runs.filter(({ outcome }) => outcome === 'skipped').length],
    ['records of missed fire times', runs.filter(({ outcome }) => outcome === 'missed').length],
    ['triggers', runs.filter(isTurnOf('trigger')).length],
    ['writes to memories', calls.filter(({ status }) => status === 'success').length],
    ['writes refused', calls.filter(({ status }) => status === 'error').length],
    ['answers of the tool hook', answers.length],
    ['of these denials and none', answers.filter((answer) => answer !== 'allow').length],
  ];
}

/**
 * @param {import('./access/people.mjs').People} people
 * @returns {[string, number][]}
 */
function countTokens({ staying, leaver }) {
  return [...staying, leaver].map(({ principal, tokens }) => [`tokens of ${principal}`, tokens]);
}

/** @param {'slot' | 'trigger'} cause */
function isTurnOf(cause) {
  return (/** @type {import('./types.js').ScheduleRows['runs'][number]} */ run) =>
    run.cause === cause && run.outcome === 'submitted';
}

/**
 * Has every event of every turn sent to the receiver.
 *
 * @param {import('./types.js').World} world
 * @param {import('./load/start-receiver.mjs').Receiver} receiver
 */
async function registerWebhook(world, receiver) {
  const { status, body } = await sendJson(world, {
    route: 'POST webhooks',
    method: 'POST',
    path: '/api/harness/webhooks',
    body: { url: receiver.url },
  });
  if (status !== 200) throw new Error(`No webhook: ${status} ${JSON.stringify(body)}`);
  receiver.trust(body['secret']);
}
