import type { PersonaLibrary } from '../agents/load-persona.js';
import type { AgentConfig } from '../governance/agent-config.js';
import type { Persona } from '../agents/parse-persona.js';
import type { ModelPrice } from './model-price.js';
import { choosePersona, resolveOptions, type OptionResolution } from './resolve-options.js';

export interface LoadOptionsDeps {
  personas: PersonaLibrary;
  environmentModel: string | undefined;
  /** Of models, for turns with a limit of cost. */
  prices?: readonly ModelPrice[];
  /** Limits where nobody sets any. */
  defaultLimits: Readonly<AgentConfig>;
}

export interface OptionSubject {
  persona: string;
  mode: string;
  agentConfig?: Partial<AgentConfig> | null;
  /** What the user has set. */
  user?: Partial<AgentConfig>;
  /** Where nobody sets any; the server's when absent. */
  limits?: Readonly<AgentConfig>;
  /** The persona was called as an agent. */
  asAgent?: boolean;
}

/**
 * Resolves a turn's options with the persona's file and the instruction root's defaults.
 *
 * @throws TypedError INSTRUCTION_ROOT_INVALID 500, PERSONA_NOT_FOUND 404.
 */
export async function loadOptions(
  { personas, environmentModel, defaultLimits, prices = [] }: LoadOptionsDeps,
  session: OptionSubject,
  opts: unknown,
): Promise<{ resolution: OptionResolution; persona: Persona }> {
  await personas.assertValid();
  const persona = await personas.load(choosePersona(opts, session.persona).name);
  const agents = await personas.globalDefaults();
  const resolution = resolveOptions({
    opts,
    session,
    persona,
    asAgent: session.asAgent === true,
    ...(session.user === undefined ? {} : { user: session.user }),
    defaults: {
      ...(environmentModel === undefined ? {} : { environmentModel }),
      ...(agents?.model === undefined ? {} : { agentsModel: agents.model }),
      ...(agents?.agentConfig === undefined ? {} : { agentsConfig: agents.agentConfig }),
    },
    limits: session.limits ?? defaultLimits,
    prices,
  });
  return { resolution, persona };
}
