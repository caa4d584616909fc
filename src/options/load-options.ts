import type { PersonaLibrary } from '../agents/load-persona.js';
import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import type { Persona } from '../agents/parse-persona.js';
import type { ModelResolver } from '../provider/models/model-resolver.js';
import type { PermissionMode } from './permission-mode.js';
import type { Preferences } from './settings/preferences.js';
import {
  chooseModel,
  choosePersona,
  resolveOptions,
  type OptionResolution,
} from './resolve-options.js';

export interface LoadOptionsDeps {
  personas: PersonaLibrary;
  environmentModel: string | undefined;
  models: Pick<ModelResolver, 'resolve'>;
  /** Limits where nobody sets any. */
  defaultLimits: Readonly<AgentConfig>;
  /** The loosest mode of any turn. Absent: any. */
  modeCeiling?: PermissionMode;
}

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

/**
 * Resolves a turn's options with the persona's file, the instruction root's defaults, and what is
 * known of the model.
 *
 * @throws TypedError INSTRUCTION_ROOT_INVALID 500 but for agents, PERSONA_NOT_FOUND 404, SDK_FAILURE 400 for a model
 *   that there is not.
 */
export async function loadOptions(
  { personas, models, environmentModel, defaultLimits, modeCeiling }: LoadOptionsDeps,
  session: OptionSubject,
  opts: unknown,
): Promise<{ resolution: OptionResolution; persona: Persona }> {
  // What else the root must have is read by the harness's clients; an agent is one file.
  if (session.asAgent !== true) await personas.assertValid();
  const persona = await personas.load(choosePersona(opts, session.persona).name);
  const agents = await personas.globalDefaults();
  const sources = {
    opts,
    session,
    persona,
    asAgent: session.asAgent === true,
    bounds: {
      ceiling: modeCeiling ?? 'acceptEdits',
      mayApprove: session.mayApprove ?? true,
    },
    ...(session.wireMode === undefined ? {} : { wireMode: session.wireMode }),
    ...(session.user === undefined ? {} : { user: session.user }),
    ...(session.preferences === undefined ? {} : { preferences: session.preferences }),
    defaults: {
      ...(environmentModel === undefined ? {} : { environmentModel }),
      ...(agents?.model === undefined ? {} : { agentsModel: agents.model }),
      ...(agents?.agentConfig === undefined ? {} : { agentsConfig: agents.agentConfig }),
    },
    limits: session.limits ?? defaultLimits,
  };
  const { named, standard } = chooseModel(sources);
  const model = await models.resolve(named.value, standard);
  const resolution = resolveOptions({ ...sources, model });
  return { resolution: await withFallback(resolution, models, standard), persona };
}

/** The model that the turn may go on with is held to what holds for its own. */
async function withFallback(
  resolution: OptionResolution,
  models: LoadOptionsDeps['models'],
  standard: string,
): Promise<OptionResolution> {
  const { options, modelNotices = [] } = resolution;
  if (options.fallbackModel === undefined) return resolution;
  const { name, notices } = await models.resolve(options.fallbackModel, standard);
  const all = [...modelNotices, ...notices];
  return {
    ...resolution,
    options: { ...options, fallbackModel: name },
    ...(all.length === 0 ? {} : { modelNotices: all }),
  };
}
