import { Inject, Injectable } from '@nestjs/common';
import { forbiddenAgent } from '../access/access-errors.js';
import { KnownApprovers } from '../access/people/known-approvers.js';
import { defaultAgentConfig } from '../governance/decision-tree/agent-config.js';
import { SERVER_PERMISSIONS } from '../governance/permissions/permission-rules.js';
import { PersonaLibrary } from '../agents/persona-library.js';
import type { Persona } from '../agents/parse-agent-file.js';
import { CONFIG, type Config } from '../config/config.js';
import { SchemaChecks, parseOutput } from '../tools/output/schema-checks.js';
import { compact } from '../platform/compact.js';
import type {
  OptionResolution,
  PermissionRules,
  ResolvedOptions,
} from '../storage/shapes/stored-options.js';
import { ModelResolver, type ResolvedModel } from '../provider/model-resolver.js';
import { invalidRequest, isTypedError } from '../errors/typed-error.js';
import { freeLimits } from './resolve-limits.js';
import type { ServerDefaults } from './effective-preferences.js';
import { asksForOutput, chooseModel, choosePersona, chooseStandard } from './option-rules.js';
import type { OptionSources } from './option-rule.js';
import { assertPriced } from './model-refusals.js';
import { resolveOptions } from './resolve-options.js';

type Settings = Pick<Config, 'model' | 'fallbacks' | 'memory' | 'modeCeiling' | 'turnTimeoutMs'>;

/** The sources of a turn's options in addition to its request: its session, its wire and its sender. */
export type OptionSubject = OptionSources['session'] &
  Pick<OptionSources, 'asAgent' | 'wireMode' | 'wireOnDisconnect' | 'user' | 'preferences'> & {
    /** The turn came on the oracle's wire: where no tier sets limits it has those of that contract. Absent: the server's. */
    isOracle?: boolean;
    /** Whether the caller may approve tool calls. Absent: yes. */
    mayApprove?: boolean;
    /** The agent itself, where it is known already. Absent: that of its name. */
    agent?: Persona;
  };

/** Resolves the options of turns from request, session, persona, preferences and config. */
@Injectable()
export class OptionLoader {
  constructor(
    private readonly personas: PersonaLibrary,
    private readonly models: ModelResolver,
    @Inject(CONFIG) private readonly config: Settings,
    private readonly checks: SchemaChecks,
    private readonly approvers: KnownApprovers,
    @Inject(SERVER_PERMISSIONS) private readonly serverPermissions: PermissionRules,
  ) {}

  /**
   * Resolves a turn's options with the persona's file, the instruction root's defaults and the
   * model's catalogue entry.
   *
   * @throws TypedError INSTRUCTION_ROOT_INVALID 500 for personas of the harness, PERSONA_NOT_FOUND 404,
   * SDK_FAILURE 400 for an unknown model, INVALID_REQUEST for an output that is not one, and for a cost limit of a model
   * without a price.
   */
  async load(
    session: OptionSubject,
    opts: unknown,
  ): Promise<{ resolution: OptionResolution; persona: Persona; model: ResolvedModel }> {
    const { personas, models, config } = this;
    const { value: name } = choosePersona(opts, session.persona);
    // Who calls an agent by its own route needs its file alone.
    const isAgent = session.asAgent === true;
    const persona =
      session.agent ?? (await (isAgent ? personas.load(name) : personas.loadForTurn(name)));
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
      limits: session.isOracle === true ? defaultAgentConfig : freeLimits(config),
    };
    const { named, standard } = chooseModel(sources);
    const model = await models.resolve(named.value, standard);
    const resolution = resolveOptions({ ...sources, model });
    await checkOutput(opts, resolution.options, this.checks);
    return { resolution: await this.#withFallback(resolution, standard), persona, model };
  }

  /**
   * Checks that somebody can decide by each rule that says who does: those of the server, and `rules`.
   *
   * @throws TypedError NO_APPROVERS 422.
   */
  async checkApprovers(rules: readonly (PermissionRules | null)[]): Promise<void> {
    const given = [this.serverPermissions, ...rules].filter((one) => one !== null);
    if (given.some(({ ask }) => ask !== undefined)) await this.approvers.check(given);
  }

  /**
   * @param agents those that the caller may use; undefined: all.
   * @throws TypedError FORBIDDEN_AGENT 403 for an agent that there is, and that is another one. A name that no agent
   *   has is refused by the turn.
   */
  async checkAgent(name: string, agents: readonly string[] | undefined): Promise<void> {
    if (agents === undefined) return;
    const agent = await this.personas.load(name).catch((error: unknown) => {
      if (isTypedError(error, 'PERSONA_NOT_FOUND')) return undefined;
      throw error;
    });
    if (agent !== undefined && !agents.includes(agent.name)) {
      throw forbiddenAgent(agent.name, agents);
    }
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
      environmentFallbacks: this.config.fallbacks,
      agentsModel: agents?.model,
      agentsConfig: agents?.agentConfig,
    });
  }

  /** Resolves the fallback models by the rules of the turn's own model. */
  async #withFallback(resolution: OptionResolution, standard: string): Promise<OptionResolution> {
    const { fallbackModel, fallbackModels } = resolution.options;
    const asked = [fallbackModel ?? [], fallbackModels ?? []].flat();
    if (asked.length === 0) return resolution;
    const resolved = await Promise.all(asked.map((name) => this.models.resolve(name, standard)));
    if (resolution.options.costLimit !== undefined) resolved.forEach(assertPriced);
    const all = [resolution.modelNotices ?? [], resolved.map(({ notices }) => notices)].flat(2);
    const names = resolved.map(({ name }) => name);
    const first = fallbackModel === undefined ? {} : { fallbackModel: names.shift() ?? '' };
    const others = fallbackModels === undefined ? {} : { fallbackModels: names };
    const options = { ...resolution.options, ...first, ...others };
    return { ...resolution, options, ...(all.length === 0 ? {} : { modelNotices: all }) };
  }
}

/**
 * Checks the object that a turn is to end with. Unlike other options a wrong one is no less than a
 * refusal: its client could do nothing with a text.
 *
 * @throws TypedError INVALID_REQUEST with the JSON pointer of the fault; also beside citations, which the
 * provider does not take with a format.
 */
async function checkOutput(
  opts: unknown,
  { output, citations }: Pick<ResolvedOptions, 'output' | 'citations'>,
  checks: Pick<SchemaChecks, 'compile'>,
): Promise<void> {
  const given = asksForOutput(opts) ? parseOutput(opts.output) : undefined;
  if (given !== undefined && 'fault' in given) {
    const pointer = `/opts/output${given.pointer}`;
    throw invalidRequest(`opts.output must be ${given.fault}.`, { pointer });
  }
  if (output === undefined) return;
  try {
    await checks.compile(output.schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidRequest(`The schema of the turn's output cannot be compiled: ${reason}.`, {
      pointer: '/opts/output/schema',
    });
  }
  if (!citations) return;
  throw invalidRequest(
    'A turn that cites files cannot end with an object. Send opts.citations false, or no opts.output.',
    { pointer: '/opts/citations' },
  );
}
