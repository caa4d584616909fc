import { seededRandom } from '../chaos/plan/random.mjs';
import { namesIn } from '../chaos/plan/turn-names.mjs';
import type { TurnHistory, View, Violation } from '../chaos/types.js';
import { localPrincipal } from '../src/access/principal.js';
import { pause } from '../src/platform/clock.js';
import { newActor } from './actor.js';
import { checkApprovals } from './check-approvals.js';
import { checkBranches, checkDatabase, checkRest, checkTurns } from './check-schedule.js';
import type { SimulatedDatabase } from './database.js';
import type { Folders } from './folders.js';
import { Faults, type FaultRules } from './faults.js';
import { simulatedModel } from './model.js';
import { approverRoles, awaitsPeople, planApprovals } from './plan-approvals.js';
import { isBranching } from './plan-branches.js';
import { planLimits, planSessions, type SessionPlan } from './plan.js';
import { SimulatedRedis } from './redis.js';
import type { Deployment } from './requests.js';
import { emptyApprovals, runApprovals, type ApprovalRecord } from './run-approvals.js';
import { emptyRecord, runBranches, type BranchRecord } from './run-branches.js';
import { readAgain, runSession } from './run-turn.js';
import { Scheduler } from './scheduler.js';
import { Server, type World } from './server.js';
import { Services } from './services.js';
import { useVirtualGlobals } from './virtual-globals.js';

/** Virtual time of the first step, in ms since the epoch. */
export const STARTED_AT = Date.parse('2026-01-01T00:00:00Z');

/** Virtual time of the first step of a schedule with fire times, from `STARTED_AT`: a minute begins soon. */
const BEFORE_FIRE_TIME_MS = 57_000;

/** One schedule of this many has only faults that cost no worker its turn: nothing excuses a takeover. */
const CALM_EVERY = 4;

/** Most virtual time of each part of a schedule, in ms. */
const MAX_VIRTUAL_MS = 180_000;

export interface ScheduleOptions {
  seed: number;
  database: SimulatedDatabase;
  folders: Folders;
  faults: FaultRules;
  /** Numbers of sessions whose clients send nothing, from 1. */
  withoutSessions?: readonly number[];
}

export interface ScheduleOutcome {
  violations: Violation[];
  /** Number of turns that were accepted. */
  turns: number;
  steps: number;
  /** Number of faults that came. */
  faults: number;
  trace: readonly string[];
}

/** Runs a deployment and its clients by a seed, and checks what they saw and what is left. */
export async function runSchedule(options: ScheduleOptions): Promise<ScheduleOutcome> {
  const { seed, database, folders } = options;
  const isCalm = seed % CALM_EVERY === 0;
  const hasSchedules = isBranching(seed);
  const random = (purpose: string) => seededRandom(seed, purpose);
  const startedAt = STARTED_AT + (hasSchedules ? BEFORE_FIRE_TIME_MS : 0);
  const scheduler = new Scheduler(random('schedule'), startedAt, hasSchedules);
  const restore = useVirtualGlobals({
    now: () => scheduler.now,
    random: (purpose) => random(purpose).next,
  });
  try {
    await database.empty();
    if (awaitsPeople(seed)) await database.addApproverRoles(approverRoles);
    const services = new Services(scheduler);
    const redis = new SimulatedRedis(scheduler, services, random('redis'));
    const views: View[] = [];
    const model = simulatedModel(scheduler.clockOf(newActor('model')), (messages) =>
      views.push(namesIn(messages)),
    );
    const effects = new Map<string, number>();
    const parts = { scheduler, services, database, redis, model, effects, folders };
    const world: World = { ...parts, hasSchedules, awaitsPeople: awaitsPeople(seed) };
    // If no process dies, a single worker must run every fire time in time.
    const isTimed = isCalm && hasSchedules;
    const { apis, servers } = deploy(world, seed, isTimed ? 1 : 3);
    const principal = localPrincipal(planLimits(seed));
    const deployment = { world, apis, principal, random: random('people'), violations: [] };
    const faults = new Faults(world, servers, random('faults'), { ...options.faults, isCalm });
    const histories: TurnHistory[] = [];
    const branches = hasSchedules ? emptyRecord() : undefined;
    const approvals = world.awaitsPeople ? emptyApprovals(planApprovals(seed)) : undefined;
    const violations: Violation[] = deployment.violations;
    try {
      const plans = planSessions(seed).filter(
        (_, index) => options.withoutSessions?.includes(index + 1) !== true,
      );
      await run({ deployment, servers, faults, histories, plans, branches, approvals, seed });
    } catch (error) {
      const note = error instanceof Error ? error.message : String(error);
      violations.push({
        kind: 'no-end',
        turnId: '',
        note: `${note}: ${scheduler.waiting().join()}`,
      });
    }
    violations.push(
      ...(await checkTurns(histories, world)),
      ...(await checkDatabase(world, principal.limits, isCalm ? 0 : faults.count)),
      ...checkRest(world, servers),
      ...(branches === undefined ? [] : await checkBranches(branches, views, world, isTimed)),
      ...(approvals === undefined ? [] : await checkApprovals(approvals, database)),
    );
    const { steps, trace } = scheduler;
    return { violations, turns: histories.length, steps, faults: faults.count, trace };
  } finally {
    restore();
  }
}

function deploy(
  world: World,
  seed: number,
  workerCount: number,
): { apis: Server[]; servers: Server[] } {
  const random = seededRandom(seed, 'clocks');
  const skewMs = (): number => (random.chance(0.3) ? random.whole(-1_500, 1_500) : 0);
  const apis = [1, 2].map((index) => new Server(`api${index}`, 'api', world, skewMs()));
  const workers = Array.from(
    { length: workerCount },
    (_, index) => new Server(`worker${index + 1}`, 'worker', world, skewMs()),
  );
  return { apis, servers: [...apis, ...workers] };
}

interface Run {
  deployment: Deployment;
  servers: readonly Server[];
  faults: Faults;
  /** Filled with the turns as their clients saw them. */
  histories: TurnHistory[];
  plans: readonly SessionPlan[];
  /** Filled with what clients that branch were told; undefined: there are none. */
  branches: BranchRecord | undefined;
  /** Filled with what the people sent whom calls await; undefined: none do. */
  approvals: ApprovalRecord | undefined;
  seed: number;
}

async function run({
  deployment,
  servers,
  faults,
  histories,
  plans,
  branches,
  approvals,
  seed,
}: Run): Promise<void> {
  const { world } = deployment;
  const { scheduler } = world;
  for (const server of servers) await scheduler.run(server.keepUp(), MAX_VIRTUAL_MS);
  scheduler.onStep = faults.onStep;
  const load = plans.map((plan, index) => runSession(plan, index, deployment));
  const branching = branches === undefined ? undefined : runBranches(seed, deployment, branches);
  const awaiting = approvals === undefined ? undefined : runApprovals(deployment, approvals);
  const all = Promise.all([Promise.all(load), branching, awaiting]);
  const [linear] = await scheduler.run(all, MAX_VIRTUAL_MS);
  histories.push(...linear.flat(), ...(branches?.histories ?? []), ...(approvals?.histories ?? []));
  faults.end();
  await scheduler.run(rest(world, servers), MAX_VIRTUAL_MS);
  await scheduler.run(readAgain(histories, deployment), MAX_VIRTUAL_MS);
  await scheduler.run(Promise.all(servers.map((server) => server.stop())), MAX_VIRTUAL_MS);
}

/** Waits until every process is up and every turn has ended. */
async function rest({ database, scheduler }: World, servers: readonly Server[]): Promise<void> {
  const clock = scheduler.clockOf(newActor('observer'));
  for (;;) {
    const unended = await database.query(
      `select id from turns where ended_at is null or lease_until is not null
        union all select id from schedules where next_at <= now()`,
    );
    if (unended.length === 0 && servers.every(({ isUp }) => isUp)) return;
    await pause(clock, 250);
  }
}
