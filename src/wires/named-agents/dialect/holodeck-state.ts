import type { Source } from '../../../events/turn-event.js';
import { noText, type SentText } from '../../framing/sent-text.js';
import type { AgentCalls } from './holodeck-calls.js';
import type { HolodeckNotice, Of } from './holodeck-event.js';

/** State that later events of the holodeck wire need of earlier ones. */
export interface AgentState {
  /** `stream_start` was sent. */
  hasBegun: boolean;
  failure?: Of<'turn.failed'>;
  calls: AgentCalls;
  text: SentText;
  /** Sources and notices are sent at the end. */
  sources: readonly { step: number; source: Source }[];
  notices: readonly HolodeckNotice[];
}

export const agentStart: AgentState = {
  hasBegun: false,
  calls: [],
  text: noText,
  sources: [],
  notices: [],
};
