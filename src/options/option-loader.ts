import { PersonaLibrary } from '../agents/persona-library.js';
import type { Persona } from '../agents/parse-agent-file.js';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { SchemaChecks } from '../output/schema-checks.js';
import { compact } from '../platform/compact.js';
import { checkOutput } from './check-output.js';
import { freeLimits } from './resolve-limits.js';
import type { ServerDefaults } from './preferences/effective-preferences.js';
import type {
  AgentConfig,
  OnDisconnect,
  OptionResolution,
} from '../storage/shapes/stored-options.js';
import { ModelResolver } from '../provider/model-resolver.js';
import type { Preferences } from './preferences/preferences-store.js';
import { chooseModel, choosePersona, chooseStandard } from './early-options.js';
import type { OptionSources } from './option-sources.js';
import { resolveOptions } from './resolve-options.js';

type LoaderConfig = Pick<Config, 'model' | 'memory' | 'modeCeiling' | 'turnTimeoutMs'>;

export interface OptionSubject {
  persona: string;
  mode: string;
  agentConfig?: Partial<AgentConfig> | null;
  /** Limits that the user saved. */
  user?: Partial<AgentConfig>;
  /** Other preferences that the user saved. */
  preferences?: Preferences;
  /** Limits where no tier sets any. Absent: the server's. */
  limits?: Readonly<AgentConfig>;
  /** Whether the persona was called as an agent. */
  asAgent?: boolean;
  /** Whether the caller may approve tool calls. Absent: yes. */
  mayApprove?: boolean;
  /** Permission mode of the wire, in place of the session's. Absent: the session's. */
  wireMode?: 'direct' | 'dontAsk';
  /** What the wire does of a turn without readers, where `opts` says nothing. Absent: `cancel`. */
  wireOnDisconnect?: OnDisconnect;
}

/** Resolves the options of turns from request, session, persona, preferences and config. */
@Injectable()
export class OptionLoader {
  constructor(
    private readonly personas: PersonaLibrary,
    private readonly models: ModelResolver,
    @Inject(CONFIG) private readonly config: LoaderConfig,
    private readonly checks: SchemaChecks,
  ) {}

  /**
   * Resolves a turn's options with the persona's file, the instruction root's defaults and the
   * model's catalogue entry.
   *
   * @throws TypedError INSTRUCTION_ROOT_INVALID 500 for personas of the harness, PERSONA_NOT_FOUND 404,
   * SDK_FAILURE 400 for an unknown model, INVALID_REQUEST for an output that is not one.
   */
  async load(
    session: OptionSubject,
    opts: unknown,
  ): Promise<{ resolution: OptionResolution; persona: Persona }> {
    const { personas, models, config } = this;
    const { value: name } = choosePersona(opts, session.persona);
    // Who calls an agent by its own route needs its file alone.
    const isAgent = session.asAgent === true;
    const persona = await (isAgent ? personas.load(name) : personas.loadForTurn(name));
    const { wireMode, wireOnDisconnect, user, preferences } = session;
    const sources = {
      opts,
      session,
      persona,
      asAgent: isAgent,
      allowsMemory: config.memory,
      bounds: { ceiling: config.modeCeiling, mayApprove: session.mayApprove ?? true },
      ...compact({ wireMode, wireOnDisconnect, user, preferences }),
      defaults: await this.#serverOptions(),
      limits: session.limits ?? freeLimits(config),
    };
    const { named, standard } = chooseModel(sources);
    const model = await models.resolve(named.value, standard);
    const resolution = resolveOptions({ ...sources, model });
    await checkOutput(opts, resolution.options, this.checks);
    return { resolution: await this.#withFallback(resolution, standard), persona };
  }

  /** The configured model of turns that name none. */
  async standardModel(): Promise<string> {
    return chooseStandard(await this.#serverOptions());
  }

  /** Options and limits of a user without saved preferences. */
  async serverDefaults(): Promise<ServerDefaults> {
    return { limits: freeLimits(this.config), options: await this.#serverOptions() };
  }

  async #serverOptions(): Promise<OptionSources['defaults']> {
    const agents = await this.personas.globalDefaults();
    return compact({
      environmentModel: this.config.model,
      agentsModel: agents?.model,
      agentsConfig: agents?.agentConfig,
    });
  }

  /** Resolves the fallback model by the rules of the turn's own model. */
  async #withFallback(resolution: OptionResolution, standard: string): Promise<OptionResolution> {
    const { options, modelNotices = [] } = resolution;
    if (options.fallbackModel === undefined) return resolution;
    const { name, notices } = await this.models.resolve(options.fallbackModel, standard);
    const all = [...modelNotices, ...notices];
    return {
      ...resolution,
      options: { ...options, fallbackModel: name },
      ...(all.length === 0 ? {} : { modelNotices: all }),
    };
  }
}
