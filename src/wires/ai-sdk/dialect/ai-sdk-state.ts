import { openSegment, type Segment } from '../../framing/segment.js';
import { noText, type SentText } from '../../framing/sent-text.js';
import type { AiSdkCalls } from './ai-sdk-calls.js';
import type { Of } from './ai-sdk-chunk.js';
import { noStep, type AiSdkStep } from './ai-sdk-step.js';
import type { AiSdkSubagents } from './ai-sdk-subagents.js';

/** The part of a turn that a stream sends. */
export interface AiSdkRange {
  /**
   * Approvals that were answered before the stream, which does not end where the turn waited for
   * them; or a message that was steered into the turn.
   */
  answered: readonly string[];
  /**
   * The start of the stream. `answers`: after the turn waited for these approvals, or with the
   * steered message. `turn`: at the turn's start, whatever was answered, as a returning client
   * builds its message anew from `start`.
   */
  from: 'turn' | 'answers';
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
  calls: AiSdkCalls;
  subagents: AiSdkSubagents;
  /** Ids of parts that were taken back. */
  discarded: readonly string[];
}

export function aiSdkStart({ answered, from }: AiSdkRange): AiSdkState {
  const segment = from === 'turn' ? { ...openSegment(), answered } : openSegment(answered);
  return {
    segment,
    hasBegun: false,
    isQueued: false,
    step: noStep,
    text: noText,
    calls: new Map(),
    subagents: new Map(),
    discarded: [],
  };
}
