import { WEB_SEARCHES } from '../../governance/limits/cost.js';
import type { Price, Effort } from '../../storage/shapes/stored-options.js';
import type { Model } from '../model.js';

/**
 * The models as of 2026-11-22. The Models API has their limits, lifecycle and capabilities; it does
 * not have prices, defaults, system messages, the prefix check and cache minimums.
 */

const upToHigh: readonly Effort[] = ['low', 'medium', 'high'];
const upToMax: readonly Effort[] = [...upToHigh, 'xhigh', 'max'];

/** The models at a provider that takes no money. */
export function withoutPrices(models: readonly Model[]): Model[] {
  return models.map((model) => ({
    ...model,
    price: { ...price(0, 0, [0, 0, 0]), webSearches: 0 },
  }));
}

/** @param cache the prices of writes for five minutes, of writes for an hour, and of reads. */
function price(input: number, output: number, cache: readonly [number, number, number]): Price {
  const [cacheWrite5m, cacheWrite1h, cacheRead] = cache;
  return { input, output, cacheWrite5m, cacheWrite1h, cacheRead, webSearches: WEB_SEARCHES };
}

/** A model of a large window, with what most models of the table have. */
const large = {
  lifecycle: 'active',
  contextWindow: 1_000_000,
  maxOutput: 128_000,
  thinking: ['adaptive', 'disabled'],
  thinksByDefault: 'off',
  efforts: upToMax,
  takesSystemMessages: false,
  bindsThinking: false,
  seesImages: true,
  readsPdfs: true,
  structuredOutputs: true,
  mostImages: 600,
  serverTools: { webSearch: true, codeExecution: true },
  toolSearch: true,
  cacheMinimum: 1_024,
  tokenScale: 1.3,
} as const;

const older = {
  ...large,
  contextWindow: 200_000,
  maxOutput: 64_000,
  thinking: ['enabled', 'disabled'],
  efforts: [],
  mostImages: 100,
  tokenScale: 1,
} as const;

/** The models of 4.6, which think with a budget as well. */
const between = {
  ...large,
  thinking: ['adaptive', 'enabled', 'disabled'],
  efforts: [...upToHigh, 'max'],
  defaultEffort: 'high',
  tokenScale: 1,
} as const;

/** Models since 5, which think unless thinking is switched off. */
const newer = {
  ...large,
  thinksByDefault: 'on',
  defaultEffort: 'high',
  takesSystemMessages: true,
  cacheMinimum: 512,
} as const;

const alwaysThinks = { ...newer, thinking: ['adaptive'], thinksByDefault: 'always' } as const;
const fable52 = { ...alwaysThinks, bindsThinking: true, price: price(8, 40, [10, 16, 0.2]) };
const fable51 = { ...alwaysThinks, bindsThinking: true, price: price(10, 50, [12.5, 20, 0.25]) };
const fable5 = { ...alwaysThinks, price: price(10, 50, [12.5, 20, 1]) };
const opus = price(5, 25, [6.25, 10, 0.5]);
const sonnet4 = price(3, 15, [3.75, 6, 0.3]);

/** Models that can be called, the current one first in each line. */
const callable: readonly Model[] = [
  { ...fable52, id: 'claude-fable-5-2', name: 'Claude Fable 5.2' },
  { ...fable52, id: 'claude-mythos-5-2', name: 'Claude Mythos 5.2' },
  { ...fable51, id: 'claude-fable-5-1', name: 'Claude Fable 5.1' },
  { ...fable51, id: 'claude-mythos-5-1', name: 'Claude Mythos 5.1' },
  { ...fable5, id: 'claude-fable-5', name: 'Claude Fable 5' },
  { ...fable5, id: 'claude-mythos-5', name: 'Claude Mythos 5' },
  {
    ...alwaysThinks,
    id: 'claude-opus-5-5',
    name: 'Claude Opus 5.5',
    defaultEffort: 'medium',
    bindsThinking: true,
    price: price(4, 20, [5, 8, 0.2]),
  },
  {
    ...newer,
    id: 'claude-opus-5',
    name: 'Claude Opus 5',
    effortsWithoutThinking: upToHigh,
    price: opus,
  },
  {
    ...large,
    id: 'claude-opus-4-8',
    name: 'Claude Opus 4.8',
    defaultEffort: 'high',
    takesSystemMessages: true,
    price: opus,
  },
  {
    ...large,
    id: 'claude-opus-4-7',
    name: 'Claude Opus 4.7',
    defaultEffort: 'high',
    cacheMinimum: 2_048,
    price: opus,
  },
  {
    ...between,
    id: 'claude-opus-4-6',
    name: 'Claude Opus 4.6',
    cacheMinimum: 4_096,
    price: opus,
  },
  {
    ...older,
    id: 'claude-opus-4-5-20251101',
    name: 'Claude Opus 4.5',
    efforts: upToHigh,
    defaultEffort: 'high',
    cacheMinimum: 4_096,
    price: opus,
  },
  {
    ...newer,
    id: 'claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5',
    thinking: ['adaptive', 'between_tools'],
    effortsWithoutThinking: upToHigh,
    bindsThinking: true,
    price: price(2, 10, [2.5, 4, 0.1]),
  },
  {
    ...newer,
    id: 'claude-sonnet-5',
    name: 'Claude Sonnet 5',
    takesSystemMessages: false,
    cacheMinimum: 1_024,
    price: price(2, 10, [2.5, 4, 0.2]),
  },
  { ...between, id: 'claude-sonnet-4-6', name: 'Claude Sonnet 4.6', price: sonnet4 },
  {
    ...older,
    id: 'claude-sonnet-4-5-20250929',
    name: 'Claude Sonnet 4.5',
    lifecycle: 'deprecated',
    retiresAt: '2026-11-30',
    price: sonnet4,
  },
  {
    ...newer,
    id: 'claude-haiku-5-5',
    name: 'Claude Haiku 5.5',
    effortsWithoutThinking: upToHigh,
    defaultEffort: 'medium',
    bindsThinking: true,
    price: {
      ...price(0.1, 0.5, [0.125, 0.2, 0.01]),
      longPrompt: { above: 100_000, ...price(0.5, 2.5, [0.625, 1, 0.05]) },
    },
  },
  {
    ...older,
    id: 'claude-haiku-4-5-20251001',
    name: 'Claude Haiku 4.5',
    cacheMinimum: 4_096,
    price: price(1, 5, [1.25, 2, 0.1]),
  },
];

/** Retired models, with their replacements. */
const retired: readonly (readonly [id: string, replacement: string])[] = [
  ['claude-opus-4-1-20250805', 'claude-opus-5-5'],
  ['claude-opus-4-20250514', 'claude-opus-5-5'],
  ['claude-sonnet-4-20250514', 'claude-sonnet-5-5'],
  ['claude-3-7-sonnet-20250219', 'claude-sonnet-5-5'],
  ['claude-3-5-sonnet-20241022', 'claude-sonnet-5-5'],
  ['claude-3-5-sonnet-20240620', 'claude-sonnet-5-5'],
  ['claude-3-5-haiku-20241022', 'claude-haiku-5-5'],
  ['claude-3-opus-20240229', 'claude-opus-5-5'],
  ['claude-3-sonnet-20240229', 'claude-sonnet-5-5'],
  ['claude-3-haiku-20240307', 'claude-haiku-5-5'],
];

/** Assumptions about a model without a description: what every server and every model takes. */
export function unknownModel(id: string): Model {
  return {
    ...older,
    id,
    name: id,
    maxOutput: 32_000,
    thinking: [],
    structuredOutputs: false,
    // An estimate that is too high is the safe one.
    tokenScale: 1.3,
    // Safe where it is wrong: prompts are then kept unchanged without need.
    bindsThinking: true,
    serverTools: { webSearch: false, codeExecution: false },
    toolSearch: false,
  };
}

export const knownModels: readonly Model[] = [
  ...callable,
  ...retired.map(([id, replacement]): Model => ({
    ...unknownModel(id),
    lifecycle: 'retired',
    replacement,
  })),
];
