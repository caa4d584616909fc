import { unknownModel } from './known-models.js';
import type { Model } from './model.js';

/** What somebody says of a model, who need not say everything. */
export type ModelDescription = Pick<Model, 'id'> &
  Partial<Model> & {
    /** It stood in the provider's list of models; absent: it was asked for by its name. */
    isListed?: boolean;
  };

/**
 * A model as a table knows it and as others describe it, the last word last. What nobody says of a
 * model that no table knows is what every server and every model takes. Pure.
 */
export function mergeDescriptions(
  known: Model | undefined,
  described: ModelDescription | undefined,
  override: ModelDescription | undefined,
): Model | undefined {
  const id = known?.id ?? described?.id ?? override?.id;
  if (id === undefined) return undefined;
  const base = known ?? { ...unknownModel(id), ...guess({ ...described, ...override }) };
  const { isListed: _isListed, ...said } = described ?? {};
  return { ...base, ...said, ...override, id };
}

/** Models with a smaller window take fewer images. */
const LARGE_WINDOW = 1_000_000;

/** What follows from a description of a model that no table knows. */
function guess({ thinking, contextWindow }: Partial<Model>): Partial<Model> {
  return {
    ...(thinking === undefined ? {} : { thinksByDefault: guessThinking(thinking) }),
    ...(contextWindow === undefined
      ? {}
      : { mostImages: contextWindow < LARGE_WINDOW ? 100 : 600 }),
  };
}

function guessThinking(kinds: Model['thinking']): Model['thinksByDefault'] {
  if (kinds.length === 0) return 'off';
  if (!kinds.includes('disabled') && !kinds.includes('between_tools')) return 'always';
  return kinds.includes('adaptive') ? 'on' : 'off';
}
