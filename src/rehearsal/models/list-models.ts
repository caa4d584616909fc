import { refuse } from '../http/wire-error.js';
import { toModelInfo, type ModelInfo } from './model-info.js';
import { profiles } from './profiles.js';

export interface ModelPage {
  data: ModelInfo[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

const lifecycles = ['active', 'deprecated', 'retired'];
const defaultLimit = 20;
const mostLimit = 1_000;

/**
 * A page of the models, the newest first; retired ones only where `lifecycle` asks for them.
 *
 * @throws a 400 for a parameter that is not valid
 */
export function listModels(query: URLSearchParams): ModelPage {
  const wanted = lifecyclesOf(query);
  const all = profiles
    .filter(({ lifecycle }) => wanted.includes(lifecycle))
    .map((profile) => toModelInfo(profile));
  const limit = limitOf(query);
  const after = query.get('after_id');
  const before = query.get('before_id');
  const start = after === null ? 0 : indexOf(all, after, 'after_id') + 1;
  const end = before === null ? all.length : indexOf(all, before, 'before_id');
  const from = before === null ? start : Math.max(start, end - limit);
  const data = all.slice(from, Math.min(from + limit, end));
  return {
    data,
    has_more: before === null ? from + data.length < end : from > start,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function lifecyclesOf(query: URLSearchParams): string[] {
  const asked = [...query.getAll('lifecycle'), ...query.getAll('lifecycle[]')];
  if (asked.length === 0) return ['active', 'deprecated'];
  const unknown = asked.find((value) => !lifecycles.includes(value));
  if (unknown === undefined) return asked;
  throw refuse('request-shape', "lifecycle: Input should be 'active', 'deprecated' or 'retired'");
}

function limitOf(query: URLSearchParams): number {
  const limit = query.get('limit') ?? String(defaultLimit);
  if (/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= mostLimit) {
    return Number(limit);
  }
  throw refuse('request-shape', `limit: Input should be a whole number from 1 to ${mostLimit}`);
}

function indexOf(all: readonly ModelInfo[], id: string, name: string): number {
  const index = all.findIndex((model) => model.id === id);
  if (index >= 0) return index;
  throw refuse('request-shape', `${name}: there is no model ${id} in this list`);
}
