/** How a request may ask for thinking. */
export type ThinkingKind = 'adaptive' | 'between_tools' | 'enabled' | 'disabled';

/** How much a model thinks and writes, from least to most. */
export const effortLevels = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type EffortLevel = (typeof effortLevels)[number];

/** What the API says of a model, and what it takes and refuses for it. Tokens, unless said. */
export interface ModelProfile {
  /** The full id. */
  id: string;
  /** Other ids that mean this model. */
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
  /** `thinking.type` values that are taken. */
  thinking: readonly ThinkingKind[];
  /** What a request without `thinking` gets. */
  thinksByDefault: boolean;
  /** What `thinking.display` is without a value. */
  display: 'summarized' | 'omitted';
  /** Empty: `output_config.effort` is refused. */
  efforts: readonly EffortLevel[];
  /** The levels that are taken with thinking off. */
  effortsWithoutThinking: readonly EffortLevel[];
  defaultEffort: EffortLevel;
  /** Messages of `role: "system"` are taken. */
  systemMessages: boolean;
  /** A replayed thinking block holds only after the same system, tools and messages. */
  bindsThinking: boolean;
  /** `tool_choice` of type `any` or `tool` is taken. */
  forcesTools: boolean;
  /** A last assistant message is gone on from. */
  prefill: boolean;
  /** The least that is cached. */
  cacheMinimum: number;
  /** Images, and pages of PDFs, in one request. */
  mostImages: number;
  /** Tokens of a text, by the tokenizer of earlier models. */
  tokenFactor: number;
}
