import type { Persona } from '../agents/parse-agent-file.js';
import type { OnBusy } from '../storage/shapes/stored-options.js';
import { choose, givenOptions, type Chosen, type Tier } from './option-rule.js';
import { optionRules } from './option-rules.js';
import type { OptionSources } from './option-sources.js';

/** Options that others depend on: the persona's file and the model's price are tiers of the rest. */

/**
 * Chooses the model's name, and the name that turns without one have. Resolving a name to a model is
 * the caller's: the provider may have to be asked.
 */
export function chooseModel(
  sources: Pick<OptionSources, 'opts' | 'asAgent' | 'preferences' | 'defaults'> & {
    persona: Pick<Persona, 'model'>;
  },
): { named: Chosen<string>; standard: string } {
  const { model } = optionRules;
  const own: Tier<string>[] =
    sources.asAgent === true ? [['persona', model.parse(sources.persona.model)]] : [];
  const wished: Tier<string> = ['user', model.parse(sources.preferences?.model)];
  const tiers = [...own, wished, ...standardTiers(sources.defaults)];
  return {
    named: choose(model, givenOptions(sources.opts)['model'], tiers),
    standard: chooseStandard(sources.defaults),
  };
}

/** Chooses the model's name for turns that name none. */
export function chooseStandard(defaults: OptionSources['defaults']): string {
  return choose(optionRules.model, undefined, standardTiers(defaults)).value;
}

function standardTiers({
  environmentModel,
  agentsModel,
}: OptionSources['defaults']): Tier<string>[] {
  const { model } = optionRules;
  return [
    ['environment', model.parse(environmentModel)],
    ['instructions', model.parse(agentsModel)],
  ];
}

/** The busy policy that a request names; undefined: none. A refused request is not checked further. */
export function namedOnBusy(opts: unknown): OnBusy | undefined {
  return optionRules.onBusy.parse(givenOptions(opts)['onBusy']);
}

/** Chooses the persona's name: trimmed, and not checked, which loading the persona does. */
export function choosePersona(opts: unknown, sessionPersona: string): Chosen<string> {
  const { persona } = optionRules;
  const given = givenOptions(opts)['persona'];
  return choose(persona, given, [['session', persona.parse(sessionPersona)]]);
}
