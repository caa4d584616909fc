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
  /** The model's tokens of a text, divided by those of the tokenizer of earlier models. */
  tokenFactor: number;
}
