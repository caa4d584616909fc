/** How much a model thinks and writes, from least to most. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof efforts)[number];

/** What a turn asks for: thinking or none, or how much of it and whether it is shown. */
export type ThinkingChoice = boolean | { effort?: Effort; display?: ThinkingDisplay };

export type ThinkingDisplay = 'summarized' | 'omitted';
