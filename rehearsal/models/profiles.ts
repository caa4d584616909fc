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
  mostOutput: 128_000,
  display: 'omitted',
  efforts: upToMax,
  effortsWithoutThinking: upToMax,
  defaultEffort: 'high',
  systemMessages: false,
  bindsThinking: false,
  forcesTools: true,
  prefill: false,
  cacheMinimum: 512,
  mostImages: 600,
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
  mostOutput: 64_000,
  efforts: [],
  effortsWithoutThinking: [],
  prefill: true,
  mostImages: 100,
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

/** Most recently released first, as the API lists them. */
const callable: readonly ModelProfile[] = [
  {
    ...bound,
    id: 'claude-fable-5-2',
    fast: 'always',
    name: 'Claude Fable 5.2',
    line: 'fable',
    created: '2026-11-09',
  },
  {
    ...bound,
    id: 'claude-mythos-5-2',
    fast: 'always',
    name: 'Claude Mythos 5.2',
    line: 'mythos',
    created: '2026-11-09',
  },
  {
    ...onOrOff,
    id: 'claude-haiku-5-5',
    name: 'Claude Haiku 5.5',
    line: 'haiku',
    created: '2026-10-07',
    effortsWithoutThinking: upToHigh,
    defaultEffort: 'medium',
    systemMessages: true,
    bindsThinking: true,
  },
  {
    ...bound,
    id: 'claude-sonnet-5-5',
    aliases: ['rehearsal'],
    name: 'Claude Sonnet 5.5',
    line: 'sonnet',
    created: '2026-09-28',
    thinking: ['adaptive', 'between_tools'],
    effortsWithoutThinking: upToHigh,
  },
  {
    ...bound,
    id: 'claude-opus-5-5',
    fast: 'always',
    name: 'Claude Opus 5.5',
    line: 'opus',
    created: '2026-09-22',
    defaultEffort: 'medium',
  },
  {
    ...bound,
    id: 'claude-fable-5-1',
    name: 'Claude Fable 5.1',
    line: 'fable',
    created: '2026-09-01',
  },
  {
    ...bound,
    id: 'claude-mythos-5-1',
    name: 'Claude Mythos 5.1',
    line: 'mythos',
    created: '2026-09-01',
  },
  {
    ...onOrOff,
    id: 'claude-opus-5',
    fast: 'with-beta',
    name: 'Claude Opus 5',
    line: 'opus',
    created: '2026-07-24',
    effortsWithoutThinking: upToHigh,
    systemMessages: true,
  },
  {
    ...onOrOff,
    id: 'claude-sonnet-5',
    name: 'Claude Sonnet 5',
    line: 'sonnet',
    created: '2026-06-30',
    cacheMinimum: 1_024,
  },
  { ...always, id: 'claude-fable-5', name: 'Claude Fable 5', line: 'fable', created: '2026-06-09' },
  {
    ...always,
    id: 'claude-mythos-5',
    name: 'Claude Mythos 5',
    line: 'mythos',
    created: '2026-06-09',
  },
  {
    ...onOrOff,
    id: 'claude-opus-4-8',
    fast: 'with-beta',
    name: 'Claude Opus 4.8',
    line: 'opus',
    created: '2026-05-28',
    thinksByDefault: false,
    systemMessages: true,
    cacheMinimum: 1_024,
  },
  {
    ...onOrOff,
    id: 'claude-opus-4-7',
    name: 'Claude Opus 4.7',
    line: 'opus',
    created: '2026-04-16',
    thinksByDefault: false,
    cacheMinimum: 2_048,
  },
  {
    ...always,
    id: 'claude-mythos-preview',
    name: 'Claude Mythos Preview',
    line: 'mythos',
    lifecycle: 'deprecated',
    created: '2026-04-07',
    deprecated: '2026-06-09',
    // Overdue: it goes when its lifecycle says so.
    retires: '2026-06-30',
    thinking: ['adaptive', 'enabled'],
    systemMessages: false,
    forcesTools: false,
  },
  {
    ...v46,
    id: 'claude-sonnet-4-6',
    name: 'Claude Sonnet 4.6',
    line: 'sonnet',
    created: '2026-02-17',
    cacheMinimum: 1_024,
  },
  {
    ...v46,
    id: 'claude-opus-4-6',
    name: 'Claude Opus 4.6',
    line: 'opus',
    created: '2026-02-05',
    cacheMinimum: 4_096,
  },
  {
    ...v45,
    id: 'claude-opus-4-5-20251101',
    aliases: ['claude-opus-4-5'],
    name: 'Claude Opus 4.5',
    line: 'opus',
    lifecycle: 'deprecated',
    created: '2025-11-24',
    retires: '2027-01-22',
    efforts: upToHigh,
    effortsWithoutThinking: upToHigh,
    cacheMinimum: 4_096,
  },
  {
    ...v45,
    id: 'claude-haiku-4-5-20251001',
    aliases: ['claude-haiku-4-5'],
    name: 'Claude Haiku 4.5',
    line: 'haiku',
    created: '2025-10-15',
    cacheMinimum: 4_096,
  },
  {
    ...v45,
    id: 'claude-sonnet-4-5-20250929',
    aliases: ['claude-sonnet-4-5'],
    name: 'Claude Sonnet 4.5',
    line: 'sonnet',
    lifecycle: 'deprecated',
    created: '2025-09-29',
    deprecated: '2026-08-31',
    retires: '2026-11-30',
    cacheMinimum: 1_024,
  },
];

const gone = { ...v45, lifecycle: 'retired', cacheMinimum: 1_024 } as const;

/** Retired models: listed on request only, and a call is answered with 404. */
const retired: readonly ModelProfile[] = [
  {
    ...gone,
    id: 'claude-opus-4-1-20250805',
    aliases: ['claude-opus-4-1'],
    name: 'Claude Opus 4.1',
    line: 'opus',
    created: '2025-08-05',
  },
  {
    ...gone,
    id: 'claude-opus-4-20250514',
    aliases: ['claude-opus-4-0'],
    name: 'Claude Opus 4',
    line: 'opus',
    created: '2025-05-22',
  },
  {
    ...gone,
    id: 'claude-sonnet-4-20250514',
    aliases: ['claude-sonnet-4-0'],
    name: 'Claude Sonnet 4',
    line: 'sonnet',
    created: '2025-05-22',
  },
  {
    ...gone,
    id: 'claude-3-7-sonnet-20250219',
    name: 'Claude Sonnet 3.7',
    line: 'sonnet',
    created: '2025-02-24',
  },
  {
    ...gone,
    id: 'claude-3-5-haiku-20241022',
    name: 'Claude Haiku 3.5',
    line: 'haiku',
    created: '2024-10-22',
  },
  {
    ...gone,
    id: 'claude-3-5-sonnet-20241022',
    name: 'Claude Sonnet 3.5',
    line: 'sonnet',
    created: '2024-10-22',
  },
  {
    ...gone,
    id: 'claude-3-haiku-20240307',
    name: 'Claude Haiku 3',
    line: 'haiku',
    created: '2024-03-07',
  },
  {
    ...gone,
    id: 'claude-3-opus-20240229',
    name: 'Claude Opus 3',
    line: 'opus',
    created: '2024-02-29',
  },
];

export const profiles: readonly ModelProfile[] = [...callable, ...retired];

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
  line: 'haiku' | 'sonnet' | 'opus' | 'fable' | 'mythos';
  lifecycle: 'active' | 'deprecated' | 'retired';
  /** Dates, `YYYY-MM-DD`. */
  created: string;
  deprecated?: string;
  retires?: string;
  window: number;
  mostOutput: number;
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
  mostImages: number;
  /** What an image is scaled down to. */
  imageLimits: ImageLimits;
  /** Whether `speed: "fast"` is taken: never, always, or with the beta of fast mode. */
  fast: 'never' | 'always' | 'with-beta';
  /** Whether `inference_geo` is taken. */
  regions: boolean;
  /** The model's tokens of a text, divided by those of the tokenizer of earlier models. */
  tokenFactor: number;
}
