import type { Price, Effort } from '../storage/shapes/stored-options.js';

/** The ways in which a request may ask for thinking, in the API's words. */
export const thinkingKinds = ['adaptive', 'between_tools', 'enabled', 'disabled'] as const;
export type ThinkingKind = (typeof thinkingKinds)[number];

export const lifecycles = ['active', 'deprecated', 'retired'] as const;
export type Lifecycle = (typeof lifecycles)[number];

/** The limits and features of a model. None is derived from the model's name. */
export interface Model {
  /** The name in requests. */
  id: string;
  /** The display name. */
  name: string;
  lifecycle: Lifecycle;
  /** ISO date of the retirement, planned or past. */
  retiresAt?: string;
  /** The model to use instead. Absent: the default model. */
  replacement?: string;
  /** Tokens of a request and its reply together. */
  contextWindow: number;
  /** Most tokens of one reply: the upper bound of `max_tokens`. */
  maxOutput: number;
  /** Values of `thinking.type`; empty: the parameter is not sent. */
  thinking: readonly ThinkingKind[];
  /** Whether a request without `thinking` thinks. */
  thinksByDefault: 'always' | 'on' | 'off';
  /** Values of `output_config.effort`; empty: the parameter is not sent. */
  efforts: readonly Effort[];
  /** Values of effort while thinking is off; absent: as `efforts`. */
  effortsWithoutThinking?: readonly Effort[];
  defaultEffort?: Effort;
  /** Whether a conversation may have messages of `role: "system"`. */
  takesSystemMessages: boolean;
  /** Whether thinking is refused after a change of the prompt before it (the prefix check). */
  bindsThinking: boolean;
  seesImages: boolean;
  readsPdfs: boolean;
  /** Whether replies can be held to a JSON Schema (`output_config.format`). */
  structuredOutputs: boolean;
  /** Most images of one request. */
  mostImages: number;
  /** Whether it calls tools. Absent: yes. */
  callsTools?: boolean;
  /** Tools of the provider that the model can use. */
  serverTools: {
    webSearch: boolean;
    codeExecution: boolean;
    /** Absent: as `webSearch`. */ webFetch?: boolean;
  };
  /** Whether the provider searches for tools whose definitions are deferred. */
  toolSearch: boolean;
  /** Tokens of a text, divided by those of the tokenizer of models up to 4.6. */
  tokenScale: number;
  /** Tokens below which nothing is cached. */
  cacheMinimum: number;
  /** US dollars for a million tokens; absent: not known. */
  price?: Price;
}
