import type { Random } from '../chaos/plan/random.mjs';
import { newActor, type Actor } from './actor.js';
import type { Server, World } from './server.js';
import type { ServiceName } from './services.js';
import { effectTool } from './tools.js';

const kinds = [
  'kill',
  'kill',
  'kill',
  'freeze',
  'freeze',
  'lose-answer',
  'lose-answer',
  'database-away',
  'redis-away',
  'flush-redis',
  'drop-connections',
  'duplicate-jobs',
  'stop',
] as const;

type FaultKind = (typeof kinds)[number];

/** Faults that cost no worker its turn. */
const calmKinds: FaultKind[] = ['flush-redis', 'drop-connections', 'duplicate-jobs'];

/**
 * How many times as probable a fault is at a tool's effect, at a write of a turn, and at a transaction where clients
 * branch or people answer: all are rare steps.
 */
const AT_EFFECTS = 10;
const AT_WRITES = 5;
const AT_TRANSACTIONS = 10;

export interface FaultRules {
  /** Most faults of the schedule. */
  most: number;
  /** The probability of a fault at a step of a server's process. */
  chance: number;
  /** Numbers of faults that do not come, from 1. */
  without?: readonly number[];
  /** Whether no fault costs a worker its turn. */
  isCalm?: boolean;
}

/** Decides at each step whether a fault comes, and which. */
export class Faults {
  /** Number of faults so far. */
  count = 0;
  readonly #supervisor = newActor('supervisor');
  #isOver = false;

  constructor(
    private readonly world: World,
    private readonly servers: readonly Server[],
    private readonly random: Random,
    private readonly rules: FaultRules,
  ) {}

  readonly onStep = (actor: Actor, what: string): void => {
    if (this.#isOver || this.count >= this.rules.most) return;
    const server = this.servers.find((one) => one.actor === actor && one.isUp);
    if (server === undefined || !this.random.chance(this.#chanceAt(what))) return;
    this.count += 1;
    const kind = this.random.pick(this.rules.isCalm === true ? calmKinds : kinds);
    if (this.rules.without?.includes(this.count) !== true) this.#inject(kind, server, what);
  };

  /** No more faults, and both services are back. */
  end(): void {
    this.#isOver = true;
    this.world.services.away.clear();
  }

  #chanceAt(what: string): number {
    const { chance } = this.rules;
    if (what.startsWith(`${effectTool} `)) return chance * AT_EFFECTS;
    const { hasSchedules, awaitsPeople } = this.world;
    if ((hasSchedules || awaitsPeople) && what.endsWith(': transaction'))
      return chance * AT_TRANSACTIONS;
    return what.startsWith('database: with fence') ? chance * AT_WRITES : chance;
  }

  #inject(kind: FaultKind, server: Server, what: string): void {
    const { world, random } = this;
    const { scheduler } = world;
    const { actor } = server;
    scheduler.note(actor, `FAULT ${kind} at: ${what}`);
    switch (kind) {
      case 'kill':
        return server.kill();
      case 'freeze':
        actor.frozenUntil = scheduler.now + random.whole(500, 7_000);
        return;
      case 'lose-answer':
        actor.losesAnswer = true;
        return;
      case 'database-away':
        return this.#takeAway('database');
      case 'redis-away':
        return this.#takeAway('redis');
      case 'flush-redis':
        return world.redis.flush();
      case 'drop-connections':
        return world.redis.dropConnections();
      case 'duplicate-jobs':
        this.#duplicateJobs().catch((error: unknown) =>
          scheduler.note(actor, `no jobs were doubled: ${String(error)}`),
        );
        return;
      case 'stop':
        server.stop().then(
          () => server.keepUp(),
          (error: unknown) => server.problems.push(`did not stop: ${String(error)}`),
        );
        return;
    }
  }

  /** Adds a token for each turn that runs. */
  async #duplicateJobs(): Promise<void> {
    const { database, redis } = this.world;
    const running = await database.query(`select id from turns where status = 'running'`);
    const queue = redis.queueOf(this.#supervisor);
    await Promise.all(running.map(() => queue.wake()));
  }

  #takeAway(service: ServiceName): void {
    const { services, scheduler } = this.world;
    services.away.add(service);
    const ms = this.random.whole(50, 2_500);
    scheduler.clockOf(this.#supervisor).after(ms, () => services.away.delete(service));
  }
}
