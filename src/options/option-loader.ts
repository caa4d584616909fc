import { PersonaLibrary } from '../agents/persona-library.js';
import type { Persona } from '../agents/parse-agent-file.js';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { compact } from '../platform/compact.js';
import { freeLimits } from './free-limits.js';
import type { ServerDefaults } from './preferences/effective-preferences.js';
import type { AgentConfig } from '../storage/shapes/stored-limits.js';
import { ModelResolver } from '../provider/model-resolver.js';
import type { Preferences } from './preferences/turn-preferences.js';
import { chooseModel, choosePersona, chooseStandard } from './early-options.js';
import type { OptionSources } from './option-sources.js';
import { resolveOptions } from './resolve-options.js';
import type { OptionResolution } from '../storage/shapes/stored-options.js';

type LoaderConfig = Pick<Config, 'model' | 'modeCeiling' | 'turnTimeoutMs' | 'parallelTools'>;

export interface OptionSubject {
  persona: string;
  mode: string;
  agentConfig?: Partial<AgentConfig> | null;
  /** What the user has set. */
  user?: Partial<AgentConfig>;
  /** What the user wishes beside limits. */
  preferences?: Preferences;
  /** Where nobody sets any; the server's when absent. */
  limits?: Readonly<AgentConfig>;
  /** The persona was called as an agent. */
  asAgent?: boolean;
  /** Whether whoever asks may approve calls. Absent: so it is. */
  mayApprove?: boolean;
  /** Of the wire, in place of the session's mode. */
  wireMode?: 'direct' | 'dontAsk';
}

/** Resolves the options of turns from all that has a say in them. */
@Injectable()
export class OptionLoader {
  constructor(
    private readonly personas: PersonaLibrary,
    @Inject(ModelResolver) private readonly models: Pick<ModelResolver, 'resolve'>,
    @Inject(CONFIG) private readonly config: LoaderConfig,
  ) {}

  /**
   * Resolves a turn's options with the persona's file, the instruction root's defaults, and what is
   * known of the model.
   *
   * @throws TypedError INSTRUCTION_ROOT_INVALID 500 but for agents, PERSONA_NOT_FOUND 404, SDK_FAILURE
   *   400 for a model that there is not.
   */
  async load(
    session: OptionSubject,
    opts: unknown,
  ): Promise<{ resolution: OptionResolution; persona: Persona }> {
    const { personas, models, config } = this;
    // What else the root must have is read by the harness's clients; an agent is one file.
    if (session.asAgent !== true) await personas.assertValid();
    const persona = await personas.load(choosePersona(opts, session.persona).value);
    const { wireMode, user, preferences } = session;
    const sources = {
      opts,
      session,
      persona,
      asAgent: session.asAgent === true,
      bounds: { ceiling: config.modeCeiling, mayApprove: session.mayApprove ?? true },
      ...compact({ wireMode, user, preferences }),
      defaults: await this.#serverOptions(),
      limits: session.limits ?? freeLimits(config),
    };
    const { named, standard } = chooseModel(sources);
    const model = await models.resolve(named.value, standard);
    const resolution = resolveOptions({ ...sources, model });
    return { resolution: await this.#withFallback(resolution, standard), persona };
  }

  /** The model of turns that name none, as it is configured. */
  async standardModel(): Promise<string> {
    return chooseStandard(await this.#serverOptions());
  }

  /** The options and limits of a user who has saved none. */
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

  /** The model that the turn may go on with is held to what holds for its own. */
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
