import { openSegment, type Segment } from '../../framing/segment.js';
import type { OutputProgress } from '../../framing/output-progress.js';
import { noText, type SentText } from '../../framing/sent-text.js';
import type { AiSdkCalls } from './ai-sdk-calls.js';
import type { Of } from './ai-sdk-chunk.js';
import { noStep, type AiSdkStep } from './ai-sdk-step.js';
import type { AiSdkSubagents } from './ai-sdk-subagents.js';

/** The part of a turn that a stream sends. */
export interface AiSdkRange {
  /** Approvals that were answered before the stream, which does not end where the turn waited for them. */
  answered: readonly string[];
  /**
   * The start of the stream. `answers`: after the turn waited for these approvals. `steered`: with that
   * message, or with the questions that the turn waits for before it has the message: `asks`. `turn`: at the turn's start, whatever was answered, as a returning client builds its message
   * anew from `start`.
   */
  from: 'turn' | 'answers' | { steered: string; asks: readonly string[] };
  /** Names of the tools that the client runs. */
  clientTools: readonly string[];
}

/** State of earlier events that later chunks need. */
export interface AiSdkState {
  segment: Segment;
  /** Whether `start` was sent. */
  hasBegun: boolean;
  isQueued: boolean;
  started?: Of<'turn.started'>;
  failure?: Of<'turn.failed'>;
  step: AiSdkStep;
  text: SentText;
  output: OutputProgress;
  calls: AiSdkCalls;
  /** Calls of an earlier message whose questions this one asks again. */
  askedAgain: ReadonlySet<string>;
  subagents: AiSdkSubagents;
  /** Ids of parts that were taken back. */
  discarded: readonly string[];
}

export function aiSdkStart({ answered, from }: Pick<AiSdkRange, 'answered' | 'from'>): AiSdkState {
  const begins = typeof from === 'string' ? 'pause' : 'question';
  const segment = openSegment(answered, begins, opening({ answered, from }));
  return {
    segment,
    hasBegun: false,
    isQueued: false,
    step: noStep,
    text: noText,
    output: undefined,
    calls: new Map(),
    askedAgain: new Set(),
    subagents: new Map(),
    discarded: [],
  };
}

function opening({ answered, from }: Pick<AiSdkRange, 'answered' | 'from'>): readonly string[] {
  if (from === 'turn') return [];
  return from === 'answers' ? answered : [from.steered, ...from.asks];
}
