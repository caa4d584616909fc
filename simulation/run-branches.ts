import { TRIGGERED } from '../chaos/load/run-schedules.mjs';
import { forkedLine, SessionLines } from '../chaos/load/session-lines.mjs';
import { nameOf } from '../chaos/plan/turn-names.mjs';
import type { ChaosSession, TurnHistory, View } from '../chaos/types.js';
import { ScheduleController } from '../src/features/schedules/schedule.controller.js';
import { SessionController } from '../src/session/session.controller.js';
import { ForkController } from '../src/turn/branches/fork.controller.js';
import { BRANCHING_CLIENTS, planBranches, planBranchTurn } from './plan-branches.js';
import { Requests, type Deployment } from './requests.js';
import { runTurn } from './run-turn.js';

/** What the clients of a branching schedule were told. */
export interface BranchRecord {
  histories: TurnHistory[];
  sessions: ChaosSession[];
  /** What requests of a turn have of earlier turns, by its name. */
  lines: Map<string, View>;
  /** Triggers that were acknowledged. */
  triggers: { triggerKey: string; turnId: string }[];
}

export function emptyRecord(): BranchRecord {
  return { histories: [], sessions: [], lines: new Map(), triggers: [] };
}

const TURNS_BEFORE = 2;

/** Has clients fork, replace and write to a memory, and a schedule submit turns. */
export async function runBranches(
  seed: number,
  deployment: Deployment,
  record: BranchRecord,
): Promise<void> {
  const clients = Array.from({ length: BRANCHING_CLIENTS }, (_, client) => client);
  let turns = 0;
  const { violations } = deployment;
  const lines = new SessionLines({
    takeTurn: async (client, { sessionId, line, replaces, mayLose = false }) => {
      const planned = planBranchTurn(seed, turns, client);
      turns += 1;
      const name = nameOf(planned.plan.index);
      const before = line.map((one) => one.name);
      record.lines.set(name, before);
      const opts = { ...planned.opts, ...(replaces === undefined ? {} : { replaces }) };
      const requests = new Requests(`branch${client}.${name}`, deployment, turns);
      await requests.pause(planned.afterMs);
      const place = { sessionId, mayLose };
      const history = await runTurn(requests, { ...planned, opts }, place);
      if (history === undefined) return undefined;
      record.histories.push(history);
      return { name, turnId: history.turnId };
    },
    fork: async (source, { at, position, isContested }) => {
      const askers = isContested ? ['first', 'second'] : ['first'];
      const asked = askers.map((name, index) => {
        const requests = new Requests(`fork.${name}`, deployment, index);
        return requests.insist('fork', (api) =>
          api
            .handler(ForkController)
            .forkSession(
              { id: source.sessionId },
              { turnId: at.turnId, position },
              'fork-key',
              deployment.principal,
            ),
        );
      });
      const ids = (await Promise.all(asked)).map(({ session }) => session.sessionId);
      const [sessionId = '', ...others] = new Set(ids);
      if (others.length > 0) {
        const note = `one key, the forks ${ids.join(', ')}`;
        violations.push({ kind: 'key-ignored', turnId: at.turnId, note });
      }
      return begin(record, sessionId, forkedLine(source, { at, position }));
    },
    isOver: () => false,
    violations,
  });
  const runClient = async (client: number): Promise<void> => {
    const session = begin(record, await createSession(deployment, client), []);
    for (let turn = 0; turn < TURNS_BEFORE; turn += 1) await lines.follow(session, client);
    await lines.branch(session, client, planBranches(seed, client));
  };
  await Promise.all([runSchedule(deployment, record), ...clients.map(runClient)]);
}

function begin(
  { sessions }: BranchRecord,
  sessionId: string,
  line: ChaosSession['line'],
): ChaosSession {
  const session = { sessionId, line, isUnsure: false };
  sessions.push(session);
  return session;
}

function createSession(deployment: Deployment, client: number): Promise<string> {
  const { projectRoot } = deployment.world.folders;
  return new Requests(`branch${client}`, deployment, client).insist(
    'create session',
    async (api) => {
      const body = { projectRoot, permissions: { allow: ['mark'] } };
      const made = await api
        .handler(SessionController)
        .createSession(body, body, deployment.principal);
      return made.session.sessionId;
    },
  );
}

/** Puts a schedule, and triggers it by two clients with one key. */
async function runSchedule(deployment: Deployment, { triggers }: BranchRecord): Promise<void> {
  const { world, principal } = deployment;
  const { projectRoot } = world.folders;
  const body = {
    cron: '* * * * *',
    tz: 'UTC',
    session: 'new',
    projectRoot,
    message: 'Scheduled. [[tokens=2 gap=10]]',
    overlap: 'allow' as const,
  };
  await new Requests('scheduler', deployment, 0).insist('put schedule', (api) =>
    api.handler(ScheduleController).putSchedule({ key: TRIGGERED }, body, undefined, principal),
  );
  const triggerKey = 'trigger-0';
  const both = [0, 1].map(async (firstApi) => {
    const requests = new Requests(`trigger${firstApi}`, deployment, firstApi);
    const { run } = await requests.insist('trigger', (api) =>
      api.handler(ScheduleController).triggerSchedule({ key: TRIGGERED }, triggerKey, principal),
    );
    triggers.push({ triggerKey, turnId: String(run.turnId) });
  });
  await Promise.all(both);
}
