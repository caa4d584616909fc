import type { Random } from '../chaos/plan/random.mjs';
import type { Violation } from '../chaos/types.js';
import type { Principal } from '../src/access/principal.js';
import { TypedError } from '../src/errors/typed-error.js';
import { pause } from '../src/platform/clock.js';
import { isDatabaseDown } from '../src/storage/database-errors.js';
import { Presence } from '../src/turn/lifecycle/presence.js';
import { newActor, type Actor } from './actor.js';
import type { Server, World } from './server.js';

/** Time between two requests, in ms. */
const RETRY_MS = 100;

/** A deployment as its clients know it. */
export interface Deployment {
  world: World;
  apis: readonly Server[];
  /** The sender of all requests. */
  principal: Principal;
  /** Decisions of people. */
  random: Random;
  /** Violations that clients found themselves. */
  violations: Violation[];
}

/** A refusal, as an API would send it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
  ) {
    super(message);
  }

  /** Whether the request may be sent again soon. */
  get isPassing(): boolean {
    return this.type !== 'BUDGET_EXHAUSTED' && (this.status >= 500 || this.status === 429);
  }
}

/** A client of the deployment, which goes to the next API when one fails. */
export class Requests {
  readonly actor: Actor;
  #api: number;

  constructor(
    name: string,
    readonly deployment: Deployment,
    firstApi: number,
  ) {
    this.actor = newActor(name);
    this.#api = firstApi;
  }

  /** A client beside this one, which begins at another API. */
  beside(name: string): Requests {
    return new Requests(`${this.actor.name}+${name}`, this.deployment, this.#api + 1);
  }

  get api(): Server {
    const { apis } = this.deployment;
    const api = apis[this.#api % apis.length];
    if (api === undefined) throw new Error('There is no API');
    return api;
  }

  /** Goes to the next API, after a while. */
  async moveOn(): Promise<void> {
    this.#api += 1;
    await this.pause(RETRY_MS);
  }

  /** Sends a request until an API answers. @throws Refusal that is not passing. */
  async insist<T>(what: string, request: (api: Server) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.ask(what, request);
      } catch (error) {
        if (error instanceof Refusal && !error.isPassing) throw error;
        await this.moveOn();
      }
    }
  }

  /** Sends a request to the current API. @throws Refusal; Error where no answer comes. */
  async ask<T>(what: string, request: (api: Server) => Promise<T>): Promise<T> {
    const { scheduler } = this.deployment.world;
    const { api } = this;
    await scheduler.gate(this.actor, `${what} → ${api.name}`);
    if (!api.isUp) throw new Error(`${api.name} refuses connections`);
    const taken = async (): Promise<{ value: T } | { error: unknown }> => {
      await scheduler.gate(api.actor, `takes ${what}`);
      try {
        return { value: await request(api) };
      } catch (error) {
        return { error: toRefusal(api, error) };
      }
    };
    const answer = await api.orDeath(taken());
    await scheduler.gate(this.actor, `${what}: answered`);
    if ('value' in answer) return answer.value;
    if (answer.error instanceof Refusal) this.note(`refused: ${answer.error.message}`);
    throw answer.error;
  }

  pause(ms: number): Promise<void> {
    return pause(this.deployment.world.scheduler.clockOf(this.actor), ms);
  }

  note(what: string): void {
    this.deployment.world.scheduler.note(this.actor, what);
  }
}

/** The refusal of an error, as the API's filter makes it. */
function toRefusal(api: Server, error: unknown): unknown {
  if (error instanceof TypedError) {
    return new Refusal(error.status, error.type, `${error.type}: ${error.message}`);
  }
  if (!isDatabaseDown(error)) return error;
  api.handler(Presence).noteAway();
  return new Refusal(503, 'STORAGE_UNAVAILABLE', 'STORAGE_UNAVAILABLE');
}
