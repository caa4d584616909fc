import type { Source } from '../../../events/turn-event.js';
import { noText, type SentText } from '../../framing/sent-text.js';
import { noCalls, type OracleCalls } from './oracle-calls.js';
import type { Of } from './oracle-chunk.js';
import { noContext, type OracleContext } from './oracle-context.js';

/** State of earlier events that later chunks need. */
export interface OracleState {
  started?: Of<'turn.started'>;
  failure?: Of<'turn.failed'>;
  calls: OracleCalls;
  text: SentText;
  context: OracleContext;
  /** Sources come after the last content: they wait for the end. */
  sources: readonly { step: number; source: Source }[];
  /** Steps that ended. */
  steps: number;
}

export const oracleStart: OracleState = {
  calls: noCalls,
  text: noText,
  context: noContext,
  sources: [],
  steps: 0,
};
