import type { Price } from '../storage/shapes/stored-limits.js';
import { assertNever } from '../platform/assert-never.js';
import { compact } from '../platform/compact.js';
import { modelRefused } from './provider-errors.js';
import type { Model } from './model.js';
import type { ModelNotice } from '../storage/shapes/stored-options.js';

/** The model of turns where nobody names one. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** The default that clients of the contract send; the model was retired in June 2026. */
const CONTRACT_DEFAULT = 'claude-sonnet-4-20250514';

/** The model a turn runs with. */
export interface ResolvedModel {
  /** The name that is sent to the provider. */
  name: string;
  /** Absent: not known. */
  price?: Price;
  notices: ModelNotice[];
}

/** A name as it is sent to the provider. */
export interface SentName {
  name: string;
  notices: ModelNotice[];
}

/**
 * The name that is sent for the one that was given: without `[1m]`, which older clients put at its
 * end to ask for a large window, and with today's default instead of the contract's. Pure.
 *
 * @param standard the model of turns that name none.
 */
export function sentName(given: string, standard: string): SentName {
  const name = given.replace(/\s*\[1m\]$/i, '');
  const notices =
    name === given
      ? []
      : [changed(given, name, 'The window is the model’s own, and “[1m]” no part of its name')];
  if (name !== CONTRACT_DEFAULT) return { name, notices };
  const current = standard === CONTRACT_DEFAULT ? DEFAULT_MODEL : standard;
  return {
    name: current,
    notices: [...notices, changed(name, current, `${name} is retired, and was the default`)],
  };
}

function changed(from: string, to: string, why: string): ModelNotice {
  return {
    kind: 'model-changed',
    text: `${why}: the turn runs with ${to}.`,
    metadata: { model: from, using: to },
  };
}

/** The notice that the provider resolved a name to another model. */
export function resolvedName(given: string, id: string): ModelNotice {
  return changed(given, id, `The provider has ${id} as ${given}`);
}

/** The notice that nothing describes the model. */
export function notDescribed(model: string): ModelNotice {
  return {
    kind: 'model-not-described',
    text: `Nothing is known of the model ${model}, and the provider does not describe it: the turn runs with what every model takes. TURNPIKE_MODELS can say more.`,
    metadata: { model },
  };
}

/**
 * The notices about a model's lifecycle. Pure.
 *
 * @throws TypedError SDK_FAILURE 400, category `MODEL_RETIRED`.
 */
export function judgeLifecycle(model: Model, given: string, standard: string): ModelNotice[] {
  const useInstead = model.replacement ?? (standard === given ? DEFAULT_MODEL : standard);
  switch (model.lifecycle) {
    case 'active':
      return [];
    case 'retired':
      throw modelRefused('MODEL_RETIRED', { model: given, useInstead });
    case 'deprecated':
      return [deprecated(model, useInstead)];
    default:
      return assertNever(model.lifecycle);
  }
}

function deprecated({ id, retiresAt }: Model, useInstead: string): ModelNotice {
  const until = retiresAt === undefined ? '' : ` and is retired on ${retiresAt}`;
  return {
    kind: 'model-deprecated',
    text: `The model ${id} is deprecated${until}. Use ${useInstead}.`,
    metadata: compact({ model: id, useInstead, retiresAt }),
  };
}
