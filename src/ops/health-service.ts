import type { Clock } from '../platform/clock.js';
import type { CommandHealth } from './command-health.js';
import { checkReadiness, type Dependency, type Readiness } from './readiness.js';

/** A health check answers within 100 ms, wherever it can. */
const PATIENCE_MS = 75;
/** How long an earlier answer stands for one that is late. */
const FRESH_MS = 10_000;

export interface Health {
  status: 'healthy' | 'unhealthy';
  agent_name: string;
  agent_ready: boolean;
  /** Sessions with a turn that waits or runs; absent while the database does not answer. */
  active_sessions?: number;
  uptime_seconds: number;
  /** How this process runs commands. Of the agent only. */
  commands?: CommandHealth;
}

export interface HealthDeps {
  dependencies: readonly Dependency[];
  /** Rejects while every turn would be refused for want of a model. Not asked by the health of the process. */
  checkProvider(): Promise<void>;
  clock: Clock;
  /** The agent of sessions that name none. */
  agentName: string;
  /** Rejects when a turn of that agent would be refused. */
  checkAgent(): Promise<void>;
  countActiveSessions(): Promise<number>;
  commands: CommandHealth;
}

interface Found {
  isReady: boolean;
  isAgentReady: boolean;
  activeSessions?: number;
  at: number;
}

export class HealthService {
  #last: Found | undefined;

  constructor(private readonly deps: HealthDeps) {}

  /** Whether turns would be taken: a process may be well, and set up so that none is. */
  async readiness(): Promise<Readiness> {
    const { dependencies, checkProvider } = this.deps;
    const provider = { name: 'provider', ping: checkProvider };
    const [found, model] = await Promise.all([
      checkReadiness(dependencies),
      checkReadiness([provider]),
    ]);
    // Where there is one, nothing was asked that could have answered.
    return model.ready ? found : { ready: false, checks: { ...found.checks, ...model.checks } };
  }

  /** Of the process: whether it can do its work. */
  async health(): Promise<Health> {
    return this.#view(await this.#look(), (found) => found.isReady);
  }

  /** Of the agent that answers where none is named. */
  async agentHealth(): Promise<Health> {
    const health = this.#view(await this.#look(), (one) => one.isReady && one.isAgentReady);
    return { ...health, commands: this.deps.commands };
  }

  /** What is found now; while that takes long, what was found last, if that was not long ago. */
  async #look(): Promise<Found> {
    const { clock } = this.deps;
    const looking = this.#find();
    let cancelTimer = (): void => undefined;
    const late = new Promise<undefined>((resolve) => {
      cancelTimer = clock.after(PATIENCE_MS, () => resolve(undefined));
    });
    const found = await Promise.race([looking, late]);
    cancelTimer();
    if (found !== undefined) return found;
    const last = this.#last;
    // A late answer is better than a wrong one: who says "unhealthy" may be restarted for it.
    return last !== undefined && clock.now() - last.at <= FRESH_MS ? last : looking;
  }

  async #find(): Promise<Found> {
    const { dependencies, checkAgent, countActiveSessions, clock } = this.deps;
    const [{ ready, checks }, agent, active] = await Promise.all([
      checkReadiness(dependencies),
      Promise.allSettled([checkAgent()]),
      Promise.allSettled([countActiveSessions()]),
    ]);
    const [count] = active;
    this.#last = {
      isReady: ready,
      isAgentReady: agent[0].status === 'fulfilled',
      ...(count.status === 'fulfilled' && checks['database'] === 'ok'
        ? { activeSessions: count.value }
        : {}),
      at: clock.now(),
    };
    return this.#last;
  }

  #view(found: Found, isHealthy: (found: Found) => boolean): Health {
    return {
      status: isHealthy(found) ? 'healthy' : 'unhealthy',
      agent_name: this.deps.agentName,
      agent_ready: found.isAgentReady,
      ...(found.activeSessions === undefined ? {} : { active_sessions: found.activeSessions }),
      uptime_seconds: Math.floor(process.uptime()),
    };
  }
}
