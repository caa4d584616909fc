import type Anthropic from '@anthropic-ai/sdk';
import { refuse, WireError } from '../http/wire-error.js';
import { profiles, type EffortLevel, type ModelProfile, type ProfileThinking } from './profiles.js';

export interface ModelPage {
  data: Anthropic.ModelInfo[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

const allLifecycles = ['active', 'deprecated', 'retired'];
const defaultLimit = 20;
const MAX_PAGE_ITEMS = 1_000;

/**
 * A page of the models, the newest first; retired ones only where `lifecycle` asks for them.
 *
 * @throws a 400 for a parameter that is not valid
 */
export function listModels(query: URLSearchParams): ModelPage {
  const lifecycles = lifecyclesOf(query);
  const all = profiles
    .filter(({ lifecycle }) => lifecycles.includes(lifecycle))
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
  const values = [...query.getAll('lifecycle'), ...query.getAll('lifecycle[]')];
  if (values.length === 0) return ['active', 'deprecated'];
  if (values.every((value) => allLifecycles.includes(value))) return values;
  throw refuse('request-shape', "lifecycle: Input should be 'active', 'deprecated' or 'retired'");
}

function limitOf(query: URLSearchParams): number {
  const limit = query.get('limit') ?? String(defaultLimit);
  if (/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MAX_PAGE_ITEMS) {
    return Number(limit);
  }
  throw refuse(
    'request-shape',
    `limit: Input should be a whole number from 1 to ${MAX_PAGE_ITEMS}`,
  );
}

function indexOf(all: readonly Anthropic.ModelInfo[], id: string, name: string): number {
  const index = all.findIndex((model) => model.id === id);
  if (index >= 0) return index;
  throw refuse('request-shape', `${name}: there is no model ${id} in this list`);
}

const lines = ['haiku', 'sonnet', 'opus', 'fable', 'mythos'] as const;

/** A model as the API describes it. */
export function toModelInfo(profile: ModelProfile): Anthropic.ModelInfo {
  return {
    type: 'model',
    id: profile.id,
    display_name: profile.name,
    created_at: instant(profile.created),
    lifecycle: profile.lifecycle,
    deprecated_at: profile.deprecated === undefined ? null : instant(profile.deprecated),
    retires_at: profile.retires === undefined ? null : instant(profile.retires),
    line: lines.find((line) => profile.id.includes(line)) ?? null,
    max_input_tokens: profile.window,
    max_tokens: profile.maxOutputTokens,
    capabilities: capabilitiesOf(profile),
  };
}

function capabilitiesOf(profile: ModelProfile): Anthropic.ModelCapabilities {
  const callable = support(profile.lifecycle !== 'retired');
  const compacts = support(callable.supported && !profile.prefill);
  const effort = (level: EffortLevel): Anthropic.CapabilitySupport =>
    support(profile.efforts.includes(level));
  const thinks = (kind: ProfileThinking): Anthropic.CapabilitySupport =>
    support(profile.thinking.includes(kind));
  return {
    batch: callable,
    citations: callable,
    code_execution: callable,
    context_management: {
      ...callable,
      clear_thinking_20251015: callable,
      clear_tool_uses_20250919: callable,
      compact_20260112: compacts,
    },
    effort: {
      ...support(profile.efforts.length > 0),
      low: effort('low'),
      medium: effort('medium'),
      high: effort('high'),
      xhigh: effort('xhigh'),
      max: effort('max'),
    },
    image_input: support(true),
    pdf_input: callable,
    server_tools: { ...callable, code_execution: callable, web_search: callable },
    structured_outputs: callable,
    thinking: {
      ...support(profile.thinking.some((kind) => kind !== 'disabled')),
      types: {
        adaptive: thinks('adaptive'),
        between_tools: thinks('between_tools'),
        disabled: thinks('disabled'),
        enabled: thinks('enabled'),
      },
    },
  };
}

function support(supported: boolean): Anthropic.CapabilitySupport {
  return { supported };
}

function instant(date: string): string {
  return `${date}T00:00:00Z`;
}

const byId: ReadonlyMap<string, ModelProfile> = new Map(
  profiles.flatMap((profile) =>
    [profile.id, ...profile.aliases].map((id): [string, ModelProfile] => [id, profile]),
  ),
);

/**
 * The model of an id or alias, retired ones included.
 *
 * @throws a 404 for any other id
 */
export function findProfile(id: string): ModelProfile {
  const profile = byId.get(id);
  if (profile) return profile;
  throw unknownModel(id);
}

/** The maximum tokens of a reply of a model; of the smallest model for an unknown id, which is refused elsewhere. */
export function maxOutputOf(id: unknown): number {
  return (typeof id === 'string' ? byId.get(id)?.maxOutputTokens : undefined) ?? 32_000;
}

/**
 * The model of an id or alias that a request may call.
 *
 * @throws a 404 for any other id, and for a retired model
 */
export function callableProfile(id: string): ModelProfile {
  const profile = findProfile(id);
  if (profile.lifecycle === 'retired') throw unknownModel(id);
  return profile;
}

/** The API's error is the same for a model that never was and for a retired one. */
function unknownModel(id: string): Error {
  return new WireError(404, `model: ${id}`, { rule: 'unknown-model' });
}
