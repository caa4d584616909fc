import type { PersonaLibrary } from '../agents/load-persona.js';
import type { Persona } from '../agents/parse-persona.js';
import { choosePersona, resolveOptions, type OptionResolution } from './resolve-options.js';

export interface LoadOptionsDeps {
  personas: PersonaLibrary;
  environmentModel: string | undefined;
}

/**
 * Resolves a turn's options with the persona's file and the instruction root's defaults.
 *
 * @throws TypedError INSTRUCTION_ROOT_INVALID 500, PERSONA_NOT_FOUND 404.
 */
export async function loadOptions(
  { personas, environmentModel }: LoadOptionsDeps,
  session: { persona: string; mode: string },
  opts: unknown,
): Promise<{ resolution: OptionResolution; persona: Persona }> {
  await personas.assertValid();
  const persona = await personas.load(choosePersona(opts, session.persona).name);
  const agentsModel = await personas.globalModel();
  const resolution = resolveOptions({
    opts,
    session,
    persona,
    defaults: {
      ...(environmentModel === undefined ? {} : { environmentModel }),
      ...(agentsModel === undefined ? {} : { agentsModel }),
    },
  });
  return { resolution, persona };
}
