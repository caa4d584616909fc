import type { Price } from '../../governance/limits/cost.js';

/** How a request may ask for thinking, in the API's words. */
export const thinkingKinds = ['adaptive', 'between_tools', 'enabled', 'disabled'] as const;
export type ThinkingKind = (typeof thinkingKinds)[number];

/** How much a model thinks and writes, from least to most. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export const lifecycles = ['active', 'deprecated', 'retired'] as const;
export type Lifecycle = (typeof lifecycles)[number];

/** What is known of a model. Nothing of it is read out of the model's name. */
export interface Model {
  /** As requests name it. */
  id: string;
  /** For people. */
  name: string;
  lifecycle: Lifecycle;
  /** ISO date of the planned retirement, or of the one that was. */
  retiresAt?: string;
  /** What to use in its place. Absent: the default model. */
  replacement?: string;
  /** Tokens of a request and its reply together. */
  contextWindow: number;
  /** Most tokens of one reply: the upper bound of `max_tokens`. */
  maxOutput: number;
  /** What `thinking.type` may be; empty: the parameter is not sent. */
  thinking: readonly ThinkingKind[];
  /** What happens to a request without `thinking`. */
  thinksByDefault: 'always' | 'on' | 'off';
  /** What `output_config.effort` may be; empty: the parameter is not sent. */
  efforts: readonly Effort[];
  /** The same while thinking is off; absent: as `efforts`. */
  effortsWithoutThinking?: readonly Effort[];
  defaultEffort?: Effort;
  /** Whether a conversation may hold messages of `role: "system"`. */
  takesSystemMessages: boolean;
  /** Whether thinking is refused after a change of anything that was sent before it (the prefix check). */
  bindsThinking: boolean;
  seesImages: boolean;
  readsPdfs: boolean;
  /** Images of one request. */
  mostImages: number;
  /** The API's own tools that the model can use. */
  serverTools: { webSearch: boolean; codeExecution: boolean };
  /** Its tokens of a text for one of the tokenizer of models up to 4.6. */
  tokenScale: number;
  /** Tokens below which nothing is cached. */
  cacheMinimum: number;
  /** US dollars for a million tokens; absent: not known. */
  price?: Price;
}
