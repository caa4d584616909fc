import type { Random } from '../chaos/plan/random.mjs';
import { newActor, type Actor } from './actor.js';
import type { Server, World } from './server.js';
import type { ServiceName } from './services.js';

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
  'stop',
] as const;

export interface FaultRules {
  /** Most faults of the schedule. */
  most: number;
  /** The probability of a fault at a step of a server's process. */
  chance: number;
  /** Numbers of faults that do not come, from 1. */
  without?: readonly number[];
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
    if (server === undefined || !this.random.chance(this.rules.chance)) return;
    this.count += 1;
    const kind = this.random.pick(kinds);
    if (this.rules.without?.includes(this.count) !== true) this.#inject(kind, server, what);
  };

  /** No more faults, and both services are back. */
  end(): void {
    this.#isOver = true;
    this.world.services.away.clear();
  }

  #inject(kind: (typeof kinds)[number], server: Server, what: string): void {
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
      case 'stop':
        server.stop().then(
          () => server.keepUp(),
          (error: unknown) => server.problems.push(`did not stop: ${String(error)}`),
        );
        return;
    }
  }

  #takeAway(service: ServiceName): void {
    const { services, scheduler } = this.world;
    services.away.add(service);
    const ms = this.random.whole(50, 2_500);
    scheduler.clockOf(this.#supervisor).after(ms, () => services.away.delete(service));
  }
}
