import type { ModelDescription } from '../model-catalogue.js';
import type { Model } from '../model.js';
import { knownModels } from '../models/known-models.js';
import type { Price } from '../../storage/shapes/stored-options.js';
import { isOld, nameIn, type CloudKind, type CloudSettings } from './cloud-table.js';

/** The factor of prices where data stays in a region. */
const REGIONAL = 1.1;

/** The models of Anthropic's table, with the features and prices that they have in a cloud. */
export function modelsOf(kind: CloudKind, settings: CloudSettings): Model[] {
  return knownModels.map((model) => inCloud(model, kind, settings));
}

/** A model by the name that the cloud has for it, or by Anthropic's; undefined: neither is known. */
export function describeInCloud(
  name: string,
  kind: CloudKind,
  settings: CloudSettings,
): ModelDescription | undefined {
  const known = knownByName(nameIn(name));
  return known && { ...inCloud({ ...known, id: name }, kind, settings), name: known.name };
}

/** A model as a request names it. */
export interface SentModel {
  id: string;
  /** The version of the API, where the model does not take the one of this build. */
  version?: string;
}

/** How a request names a model. Names without a date stand for the ones with it, which the clouds know. */
export function modelSent(name: string, { idOf, oldVersion }: CloudKind): SentModel {
  const id = idOf(knownByName(name)?.id ?? name);
  return isOld(name) && oldVersion !== undefined ? { id, version: oldVersion } : { id };
}

function knownByName(name: string): Model | undefined {
  return (
    knownModels.find(({ id }) => id === name) ??
    knownModels.find(({ id }) => id.replace(/-\d{8}$/, '') === name)
  );
}

function inCloud(model: Model, kind: CloudKind, settings: CloudSettings): Model {
  const { features } = kind;
  const { structuredOutputs: structured } = features;
  const hasStructured = structured === 'all' || (structured === 'some' && isOld(model.id));
  const { webSearch, codeExecution } = model.serverTools;
  const { price } = model;
  const costsMore = price !== undefined && kind.isRegional(model.id, settings);
  return {
    ...model,
    structuredOutputs: model.structuredOutputs && hasStructured,
    serverTools: {
      webSearch: webSearch && features.webSearch,
      webFetch: webSearch && features.webFetch,
      codeExecution: codeExecution && features.codeExecution,
    },
    toolSearch: model.toolSearch && features.toolSearch,
    ...(costsMore ? { price: regional(price) } : {}),
  };
}

function regional(price: Price): Price {
  const { longPrompt, ...rates } = price;
  return {
    ...rates,
    ...scaled(rates),
    ...(longPrompt === undefined ? {} : { longPrompt: { ...longPrompt, ...scaled(longPrompt) } }),
  };
}

const tokenRates = ['input', 'output', 'cacheWrite5m', 'cacheWrite1h', 'cacheRead'] as const;
type Rates = Pick<Price, (typeof tokenRates)[number]>;

/** Searches of the web cost the same everywhere. */
function scaled(rates: Rates): Rates {
  const all = tokenRates.flatMap((rate) => {
    const dollars = rates[rate];
    // Cents of floating point are no part of a price.
    return dollars === undefined ? [] : [[rate, Number((dollars * REGIONAL).toPrecision(12))]];
  });
  return { ...rates, ...(Object.fromEntries(all) as Partial<Rates>) };
}
