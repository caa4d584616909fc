import { compact } from '../../platform/compact.js';
import { unknownModel } from './known-models.js';
import type { Model } from '../model.js';

/** A description of a model, complete or not. */
export type ModelDescription = Pick<Model, 'id'> &
  Partial<Model> & {
    /** Whether it comes from the provider's list; absent: the model was asked for by name. */
    isListed?: boolean;
  };

/**
 * Merges the table's entry and descriptions of a model; later ones override. A model without an entry
 * gets `unknownModel` for what no description says. Pure.
 */
export function mergeDescriptions(
  known: Model | undefined,
  described: ModelDescription | undefined,
  override: ModelDescription | undefined,
): Model | undefined {
  const id = known?.id ?? described?.id ?? override?.id;
  if (id === undefined) return undefined;
  const base = known ?? { ...unknownModel(id), ...guess({ ...described, ...override }) };
  const { isListed: _isListed, ...fields } = described ?? {};
  return { ...base, ...fields, ...override, id };
}

/** Models with a smaller window take fewer images. */
const LARGE_WINDOW = 1_000_000;

/** Fields that follow from a description of a model without an entry. */
function guess({ thinking, contextWindow }: Partial<Model>): Partial<Model> {
  return compact({
    thinksByDefault: thinking && guessThinking(thinking),
    mostImages: contextWindow && (contextWindow < LARGE_WINDOW ? 100 : 600),
  });
}

function guessThinking(kinds: Model['thinking']): Model['thinksByDefault'] {
  if (kinds.length === 0) return 'off';
  if (!kinds.includes('disabled') && !kinds.includes('between_tools')) return 'always';
  return kinds.includes('adaptive') ? 'on' : 'off';
}
