/** Effort of a model's thinking and writing, from least to most. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof efforts)[number];

/** Thinking that a turn asks for: on or off, or its effort and display. */
export type ThinkingChoice = boolean | { effort?: Effort; display?: ThinkingDisplay };

export type ThinkingDisplay = 'summarized' | 'omitted';
