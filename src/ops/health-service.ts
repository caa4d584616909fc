import { Inject, Injectable } from '@nestjs/common';
import { PersonaLibrary } from '../agents/persona-library.js';
import { DEFAULT_PERSONA } from '../agents/persona-name.js';
import { type Config } from '../config/config.js';
import { type EventLog } from '../events/event-log.js';
import { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import { type TurnQueue } from '../turn/queue/turn-queue.js';
import { countActiveSessions } from '../turn/state/turn-row.js';
import { findLateSeconds } from '../schedules/schedule-run-store.js';
import { DATABASE, type Database, type OpenedDatabase } from '../storage/connection.js';
import { compact } from '../platform/compact.js';
import { packageCommit, packageVersion } from '../platform/process/package-root.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { TypedError } from '../errors/typed-error.js';
import { errorCode } from '../platform/error-code.js';
import { driverError } from '../storage/database-errors.js';
import { withTimeout } from '../platform/async/deadlines.js';
import type { CommandHealthDto, HealthDto, HookHealthDto, ReadinessDto } from './health.dto.js';
import { SHELLS, type Shells } from '../tools/shells.js';
import { TOOL_HOOK, type ToolHook, type ToolHookHealth } from '../tools/tool-hook.js';

/** Timeout of the checks, in ms: a health check answers within 100 ms where it can. */
const CHECK_TIMEOUT_MS = 75;
/** Age, in ms, up to which an earlier result replaces a late one. */
const FRESH_MS = 10_000;

/** The services that a process cannot work without, over its back end. */
export function listDependencies(
  { ping }: OpenedDatabase,
  queue: TurnQueue,
  log: EventLog,
  { databaseUrl }: Config,
): Dependency[] {
  const isEmbedded = databaseUrl === undefined;
  // A single process keeps its queue and its log in memory.
  const label = isEmbedded ? 'The memory of this process' : 'Redis';
  return [
    { name: 'database', label: isEmbedded ? 'The embedded database' : 'PostgreSQL', ping },
    { name: 'queue', label, ping: () => queue.ping() },
    { name: 'log', label, ping: () => log.ping() },
  ];
}

/** Injects the `Dependency` list of the process. */
export const DEPENDENCIES = Symbol('Dependencies');

/** The parts of the process whose health is reported, by the methods that are asked. */
@Injectable()
export class HealthChecks {
  /** The default agent of sessions. */
  readonly agentName: string = DEFAULT_PERSONA;

  constructor(
    @Inject(DEPENDENCIES) readonly dependencies: readonly Dependency[],
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) readonly clock: Clock,
    private readonly provider: AnthropicProvider,
    private readonly personas: PersonaLibrary,
    @Inject(SHELLS) private readonly shells: Shells,
    @Inject(TOOL_HOOK) private readonly hook: ToolHook | null,
  ) {}

  get commands(): CommandHealthDto {
    return commandHealth(this.shells);
  }

  /** Rejects while no model is available. The process's own health does not ask. */
  async checkProvider(): Promise<void> {
    this.provider.assertReady();
  }

  /** Rejects when a turn of the default agent would be refused. */
  async checkAgent(): Promise<void> {
    this.provider.assertReady();
    await this.personas.loadForTurn(DEFAULT_PERSONA);
  }

  countActiveSessions(): Promise<number> {
    return countActiveSessions(this.db);
  }

  findLateSeconds(): Promise<number> {
    return findLateSeconds(this.db);
  }

  /** Undefined: there is no tool hook. */
  toolHook(): HookHealthDto | undefined {
    return this.hook === null ? undefined : hookHealth(this.hook.health);
  }
}

/** The answers alone, without the parts that give them. */
export type HealthDeps = Pick<HealthChecks, keyof HealthChecks>;

interface CheckResult {
  isReady: boolean;
  isAgentReady: boolean;
  activeSessions?: number;
  lateSeconds?: number;
  at: number;
}

@Injectable()
export class HealthService {
  #last: CheckResult | undefined;
  #isStopping = false;

  constructor(@Inject(HealthChecks) private readonly deps: HealthDeps) {}

  /** The services that the process cannot work without. */
  get dependencies(): readonly Dependency[] {
    return this.deps.dependencies;
  }

  /** From now on the process is not ready: it stops. */
  noteStop(): void {
    this.#isStopping = true;
  }

  /** Whether turns would be accepted: a healthy process may still be configured to refuse all. */
  async readiness(): Promise<ReadinessDto> {
    if (this.#isStopping) return { ready: false, checks: { process: 'stopping' } };
    const { deps } = this;
    const { dependencies } = deps;
    const ping = (): Promise<void> => deps.checkProvider();
    const provider = { name: 'provider', label: 'The provider', ping };
    const [found, model] = await Promise.all([
      checkReadiness(dependencies),
      checkReadiness([provider]),
    ]);
    // Model checks pass without naming a check: the answer has the dependencies alone.
    return model.ready ? found : { ready: false, checks: { ...found.checks, ...model.checks } };
  }

  /** Health of the process: whether it can do its work. */
  async health(): Promise<HealthDto> {
    return this.#view(await this.#look(), (found) => found.isReady);
  }

  /** Health of the default agent. */
  async agentHealth(): Promise<HealthDto> {
    const health = this.#view(await this.#look(), (one) => one.isReady && one.isAgentReady);
    return { ...health, commands: this.deps.commands };
  }

  /** The current result; when it is late, the last result, if that is fresh. */
  async #look(): Promise<CheckResult> {
    const { clock } = this.deps;
    const looking = this.#find();
    let cancelTimer = (): void => undefined;
    const late = new Promise<undefined>((resolve) => {
      cancelTimer = clock.after(CHECK_TIMEOUT_MS, () => resolve(undefined));
    });
    const found = await Promise.race([looking, late]);
    cancelTimer();
    if (found !== undefined) return found;
    const last = this.#last;
    // A late answer is better than a wrong one: an "unhealthy" process may be restarted.
    return last !== undefined && clock.now() - last.at <= FRESH_MS ? last : looking;
  }

  async #find(): Promise<CheckResult> {
    const { deps } = this;
    const { dependencies, clock } = deps;
    const [{ ready, checks }, agent, counts] = await Promise.all([
      checkReadiness(dependencies),
      Promise.allSettled([deps.checkAgent()]),
      Promise.allSettled([deps.countActiveSessions(), deps.findLateSeconds()]),
    ]);
    const [active, late] = counts.map((count) =>
      count.status === 'fulfilled' && checks['database'] === 'ok' ? count.value : undefined,
    );
    this.#last = {
      isReady: ready,
      isAgentReady: agent[0].status === 'fulfilled',
      ...compact({ activeSessions: active, lateSeconds: late }),
      at: clock.now(),
    };
    return this.#last;
  }

  #view(found: CheckResult, isHealthy: (found: CheckResult) => boolean): HealthDto {
    return {
      status: isHealthy(found) ? 'healthy' : 'unhealthy',
      agent_name: this.deps.agentName,
      agent_ready: found.isAgentReady,
      ...compact({
        active_sessions: found.activeSessions,
        schedule_late_seconds: found.lateSeconds,
        tool_hook: this.deps.toolHook(),
      }),
      uptime_seconds: Math.floor(process.uptime()),
      version: packageVersion,
      ...compact({ commit: packageCommit }),
    };
  }
}

/** A service that the server cannot work without. */
export interface Dependency {
  name: string;
  /** Its name for people. */
  label: string;
  /** Rejects when it does not answer. */
  ping(): Promise<void>;
}

/** Pings every dependency, each for at most `timeoutMs` milliseconds. */
export async function checkReadiness(
  dependencies: readonly Dependency[],
  timeoutMs = 2_000,
): Promise<ReadinessDto> {
  const answers = await Promise.all(
    dependencies.map(async ({ name, label, ping }): Promise<[string, string]> => {
      try {
        const isAnswered = await withTimeout(timeoutMs, ping());
        return [name, isAnswered ? 'ok' : `${label} did not answer in ${timeoutMs} ms`];
      } catch (error) {
        return [name, describeFault(label, error)];
      }
    }),
  );
  return {
    ready: answers.every(([, answer]) => answer === 'ok'),
    checks: Object.fromEntries(answers),
  };
}

/** The fault of a service without its statement and its address, which probes of anybody would read. */
function describeFault(label: string, error: unknown): string {
  if (error instanceof TypedError) return error.message;
  const code = errorCode(driverError(error));
  return `${label} does not answer${code === undefined ? '' : ` (${code})`}`;
}

function commandHealth(shells: Shells): CommandHealthDto {
  const { kind } = shells;
  return { kind, weaknesses: kind === 'sandboxed' ? shells.weaknesses : [shells.reason] };
}

function hookHealth({ failuresInRow, answeredAt, failedAt }: ToolHookHealth): HookHealthDto {
  return {
    failures_in_row: failuresInRow,
    ...compact({ last_answer_at: isoOf(answeredAt), last_failure_at: isoOf(failedAt) }),
  };
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
