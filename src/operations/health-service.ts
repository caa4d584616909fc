import { Inject, Injectable } from '@nestjs/common';
import { PersonaLibrary } from '../agents/persona-library.js';
import { DEFAULT_PERSONA } from '../agents/persona-name.js';
import { ModelProvider } from '../provider/model-provider.js';
import { countActiveSessions } from '../turn/face.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { DeploymentCounts } from '../telemetry/deployment-counts.js';
import { compact } from '../platform/compact.js';
import { packageCommit, packageVersion } from '../platform/process/package-root.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { checkReadiness, type Dependency } from './dependencies.js';
import type { CommandHealthDto, HealthDto, HookHealthDto, ReadinessDto } from './health.dto.js';
import { SHELLS, type Shells } from '../tools/shells.js';
import { TOOL_HOOK, type ToolHook, type ToolHookHealth } from '../tools/tool-hook.js';

/** Timeout of the checks, in ms: a health check answers within 100 ms where it can. */
const CHECK_TIMEOUT_MS = 75;
/** Age, in ms, up to which an earlier result replaces a late one. */
const FRESH_MS = 10_000;

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
    private readonly provider: ModelProvider,
    private readonly personas: PersonaLibrary,
    @Inject(SHELLS) private readonly shells: Shells,
    @Inject(TOOL_HOOK) private readonly hook: ToolHook | null,
    private readonly counts: DeploymentCounts,
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

  /** Counts of features, by their fields. */
  findCounts(): Promise<Record<string, number>> {
    return this.counts.find(this.db);
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
  counts?: Record<string, number>;
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
    const [{ ready, checks }, agent, [active, counts]] = await Promise.all([
      checkReadiness(dependencies),
      Promise.allSettled([deps.checkAgent()]),
      Promise.allSettled([deps.countActiveSessions(), deps.findCounts()]),
    ]);
    const known = <T>(count: PromiseSettledResult<T>): T | undefined =>
      count.status === 'fulfilled' && checks['database'] === 'ok' ? count.value : undefined;
    this.#last = {
      isReady: ready,
      isAgentReady: agent[0].status === 'fulfilled',
      ...compact({ activeSessions: known(active), counts: known(counts) }),
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
        ...found.counts,
        tool_hook: this.deps.toolHook(),
      }),
      uptime_seconds: Math.floor(process.uptime()),
      version: packageVersion,
      ...compact({ commit: packageCommit }),
    };
  }
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
