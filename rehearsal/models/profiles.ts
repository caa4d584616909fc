import type { ImageLimits } from '../media/files.js';

/**
 * The models as of 2026-11-26: {platform.claude.com/docs/en/about-claude/model-deprecations},
 * {…/build-with-claude/thinking-troubleshooting}, {…/about-claude/pricing}. The rehearsal has a table
 * of its own: with the server's it would share its mistakes.
 */

const upToHigh: readonly EffortLevel[] = ['low', 'medium', 'high'];
const upToMax: readonly EffortLevel[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The common profile of models from 4.7 on. */
const large = {
  aliases: [],
  lifecycle: 'active',
  window: 1_000_000,
  maxOutputTokens: 128_000,
  display: 'omitted',
  efforts: upToMax,
  effortsWithoutThinking: upToMax,
  defaultEffort: 'high',
  systemMessages: false,
  bindsThinking: false,
  forcesTools: true,
  prefill: false,
  cacheMinimum: 512,
  maxImages: 600,
  imageLimits: { side: 2_576, tokens: 4_784 },
  fast: 'never',
  regions: true,
  tokenFactor: 1.3,
} as const;

const v46 = {
  ...large,
  thinking: ['adaptive', 'enabled', 'disabled'],
  thinksByDefault: false,
  display: 'summarized',
  efforts: [...upToHigh, 'max'],
  effortsWithoutThinking: [...upToHigh, 'max'],
  imageLimits: { side: 1_568, tokens: 1_568 },
  tokenFactor: 1,
} as const;

const v45 = {
  ...v46,
  thinking: ['enabled', 'disabled'],
  window: 200_000,
  maxOutputTokens: 64_000,
  efforts: [],
  effortsWithoutThinking: [],
  prefill: true,
  maxImages: 100,
  regions: false,
} as const;

const always = {
  ...large,
  thinking: ['adaptive'],
  thinksByDefault: true,
  systemMessages: true,
} as const;
const bound = { ...always, bindsThinking: true, forcesTools: false } as const;
const onOrOff = { ...large, thinking: ['adaptive', 'disabled'], thinksByDefault: true } as const;

const v45Deprecated = { ...v45, lifecycle: 'deprecated' } as const;
const retired = { ...v45, lifecycle: 'retired', cacheMinimum: 1_024 } as const;

/** Most recently released first, as the API lists them. */
export const profiles: readonly ModelProfile[] = [
  model('claude-fable-5-2', '2026-11-09', { ...bound, fast: 'always' }),
  model('claude-mythos-5-2', '2026-11-09', { ...bound, fast: 'always' }),
  model('claude-haiku-5-5', '2026-10-07', {
    ...onOrOff,
    effortsWithoutThinking: upToHigh,
    defaultEffort: 'medium',
    systemMessages: true,
    bindsThinking: true,
  }),
  model('claude-sonnet-5-5', '2026-09-28', {
    ...bound,
    aliases: ['rehearsal'],
    thinking: ['adaptive', 'between_tools'],
    effortsWithoutThinking: upToHigh,
  }),
  model('claude-opus-5-5', '2026-09-22', { ...bound, fast: 'always', defaultEffort: 'medium' }),
  model('claude-fable-5-1', '2026-09-01', bound),
  model('claude-mythos-5-1', '2026-09-01', bound),
  model('claude-opus-5', '2026-07-24', {
    ...onOrOff,
    fast: 'with-beta',
    effortsWithoutThinking: upToHigh,
    systemMessages: true,
  }),
  model('claude-sonnet-5', '2026-06-30', { ...onOrOff, cacheMinimum: 1_024 }),
  model('claude-fable-5', '2026-06-09', always),
  model('claude-mythos-5', '2026-06-09', always),
  model('claude-opus-4-8', '2026-05-28', {
    ...onOrOff,
    fast: 'with-beta',
    thinksByDefault: false,
    systemMessages: true,
    cacheMinimum: 1_024,
  }),
  model('claude-opus-4-7', '2026-04-16', {
    ...onOrOff,
    thinksByDefault: false,
    cacheMinimum: 2_048,
  }),
  model('claude-mythos-preview', '2026-04-07', {
    ...always,
    lifecycle: 'deprecated',
    deprecated: '2026-06-09',
    // Overdue: it goes when its lifecycle says so.
    retires: '2026-06-30',
    thinking: ['adaptive', 'enabled'],
    systemMessages: false,
    forcesTools: false,
  }),
  model('claude-sonnet-4-6', '2026-02-17', { ...v46, cacheMinimum: 1_024 }),
  model('claude-opus-4-6', '2026-02-05', { ...v46, cacheMinimum: 4_096 }),
  model('claude-opus-4-5-20251101', '2025-11-24', {
    ...v45Deprecated,
    aliases: ['claude-opus-4-5'],
    retires: '2027-01-22',
    efforts: upToHigh,
    effortsWithoutThinking: upToHigh,
    cacheMinimum: 4_096,
  }),
  model('claude-haiku-4-5-20251001', '2025-10-15', {
    ...v45,
    aliases: ['claude-haiku-4-5'],
    cacheMinimum: 4_096,
  }),
  model('claude-sonnet-4-5-20250929', '2025-09-29', {
    ...v45Deprecated,
    aliases: ['claude-sonnet-4-5'],
    deprecated: '2026-08-31',
    retires: '2026-11-30',
    cacheMinimum: 1_024,
  }),
  // Listed on request only; a call is answered with 404.
  model('claude-opus-4-1-20250805', '2025-08-05', { ...retired, aliases: ['claude-opus-4-1'] }),
  model('claude-opus-4-20250514', '2025-05-22', { ...retired, aliases: ['claude-opus-4-0'] }),
  model('claude-sonnet-4-20250514', '2025-05-22', { ...retired, aliases: ['claude-sonnet-4-0'] }),
  model('claude-3-7-sonnet-20250219', '2025-02-24', retired),
  model('claude-3-5-haiku-20241022', '2024-10-22', retired),
  model('claude-3-5-sonnet-20241022', '2024-10-22', retired),
  model('claude-3-haiku-20240307', '2024-03-07', retired),
  model('claude-3-opus-20240229', '2024-02-29', retired),
];

/** A model of another maker, which takes what its wire takes: it thinks where a message asks for that. */
export function makerProfile(id: string): ModelProfile {
  const traits = { ...always, display: 'summarized', bindsThinking: false } as const;
  return { ...traits, id, name: id, created: '2026-01-01' };
}

type Traits = Omit<ModelProfile, 'id' | 'name' | 'created'>;

/** A model of the list; the words and the version of its name are in its id. */
function model(id: string, created: string, traits: Traits): ModelProfile {
  const parts = id.replace(/-\d{8}$/, '').split('-');
  const words = parts.filter((part) => !/\d/.test(part)).map(capitalize);
  const version = parts.filter((part) => /\d/.test(part)).join('.');
  return { ...traits, id, name: [...words, version].join(' ').trim(), created };
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Values of `thinking.type`. */
export type ProfileThinking = 'adaptive' | 'between_tools' | 'enabled' | 'disabled';

/** Effort of a model's thinking and writing, from least to most. */
export const effortLevels = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type EffortLevel = (typeof effortLevels)[number];

/** A model's description in the API, and its limits. Numbers are tokens unless their comment says else. */
export interface ModelProfile {
  /** The full id. */
  id: string;
  /** Other ids of the model. */
  aliases: readonly string[];
  name: string;
  lifecycle: 'active' | 'deprecated' | 'retired';
  /** Dates, `YYYY-MM-DD`. */
  created: string;
  deprecated?: string;
  retires?: string;
  window: number;
  maxOutputTokens: number;
  /** Accepted values of `thinking.type`. */
  thinking: readonly ProfileThinking[];
  /** Whether a request without `thinking` thinks. */
  thinksByDefault: boolean;
  /** The default of `thinking.display`. */
  display: 'summarized' | 'omitted';
  /** Accepted values of `output_config.effort`; empty: the parameter is refused. */
  efforts: readonly EffortLevel[];
  /** Accepted values of effort with thinking off. */
  effortsWithoutThinking: readonly EffortLevel[];
  defaultEffort: EffortLevel;
  /** Whether messages of `role: "system"` are taken. */
  systemMessages: boolean;
  /** Whether thinking that is sent back is refused after a change of system, tools or messages. */
  bindsThinking: boolean;
  /** Whether `tool_choice` of type `any` or `tool` is taken. */
  forcesTools: boolean;
  /** Whether a last assistant message is taken as the beginning of the reply. */
  prefill: boolean;
  /** The shortest prompt that is cached. */
  cacheMinimum: number;
  /** Most images and pages of PDFs in one request. */
  maxImages: number;
  /** The largest image that the model gets; a larger one is scaled down. */
  imageLimits: ImageLimits;
  /** Whether `speed: "fast"` is taken: never, always, or with the beta of fast mode. */
  fast: 'never' | 'always' | 'with-beta';
  /** Whether `inference_geo` is taken. */
  regions: boolean;
  /** The model's tokens of a text, divided by those of the tokenizer of earlier models. */
  tokenFactor: number;
}
