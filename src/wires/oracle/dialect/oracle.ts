import type { TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { Dialect } from '../../framing/dialect.js';
import { discardText, growText, sentSoFar } from '../../framing/sent-text.js';
import {
  describeRunning,
  discardCalls,
  endCall,
  growArguments,
  requestCall,
  startCall,
} from './oracle-calls.js';
import type { Of, OracleChunk, SystemType } from './oracle-chunk.js';
import { updateContext } from './oracle-context.js';
import { endChunks } from './oracle-end.js';
import { oracleStart, type OracleState } from './oracle-state.js';

type Encoded = { state: OracleState; chunks: OracleChunk[] };

/**
 * The oracle wire (contract: oracle, section 2): frames without a name, each one chunk of JSON.
 * `done` or `error` is always the last one.
 */
export const oracleDialect: Dialect<OracleState> = {
  name: 'oracle',
  initial: oracleStart,
  encode: (before, event) => {
    const { state, chunks } = encodeOracle(before, event);
    return { state, frames: chunks.map((chunk) => ({ data: JSON.stringify(chunk) })) };
  },
};

/** Encodes an event for the oracle wire. Pure. */
export function encodeOracle(state: OracleState, event: TurnEvent): Encoded {
  switch (event.type) {
    case 'turn.queued':
      return encodeAs(state, {
        type: 'status',
        message: `Waiting in the queue, at place ${event.position}`,
      });
    case 'turn.started':
      return encodeAs({ ...state, started: event });
    case 'thinking.delta':
      return encodeAs(state, { type: 'thinking', content: event.text });
    case 'text.delta':
      return encodeAs(
        { ...state, text: growText(state.text, event) },
        { type: 'content', content: event.text },
      );
    case 'source.cited':
      return encodeAs({ ...state, sources: [...state.sources, event] });
    case 'tool.requested':
      return encodeAs({ ...state, calls: requestCall(state.calls, event) });
    case 'tool.args.delta':
      return encodeAs({ ...state, calls: growArguments(state.calls, event) });
    case 'tool.started': {
      const { calls, chunks } = startCall(state.calls, event);
      return encodeAs({ ...state, calls }, ...chunks);
    }
    case 'tool.progress':
      return encodeAs(state, ...describeRunning(state.calls, event));
    case 'tool.ended': {
      const { calls, chunks } = endCall(state.calls, event);
      return encodeAs({ ...state, calls }, ...chunks);
    }
    case 'approval.requested':
      return encodeAs(state, { type: 'status', message: describeQuestion(event) });
    case 'notice.posted':
      return encodeAs(state, ...systemChunks(event));
    case 'step.ended': {
      const { context, chunks } = updateContext(state.context, event, state.started?.contextWindow);
      return encodeAs({ ...state, context, steps: event.step }, ...chunks);
    }
    case 'step.discarded':
      return discardStep(state, event.step);
    case 'turn.failed':
      return encodeAs({ ...state, failure: event });
    case 'turn.ended':
      return encodeAs(state, ...endChunks(state, event));
    // The turn goes on, and there is nothing a client would do about it.
    case 'turn.recovering':
    case 'step.started':
    case 'approval.resolved':
    case 'turn.parked':
    case 'message.joined':
    case 'subagent.started':
    case 'subagent.told':
    case 'subagent.ended':
    case 'attachment.rejected':
      return encodeAs(state);
    default:
      return assertNever(event);
  }
}

function describeQuestion({ kind, name }: Of<'approval.requested'>): string {
  return kind === 'client-tool'
    ? `Waiting for the output of ${name}`
    : `Waiting for approval of ${name}`;
}

function encodeAs(state: OracleState, ...chunks: OracleChunk[]): Encoded {
  return { state, chunks };
}

/**
 * The oracle's clients know no chunk that takes content back. They show a `system` chunk: their
 * people read why the text repeats itself, and a client that reads `metadata` takes it back.
 */
function discardStep(state: OracleState, step: number): Encoded {
  const text = discardText(state.text, step);
  const left = {
    ...state,
    calls: discardCalls(state.calls, step),
    text,
    sources: state.sources.filter((cited) => cited.step !== step),
  };
  if (text === state.text || state.text.ofStep === '') return encodeAs(left);
  return encodeAs(left, {
    type: 'system',
    system_type: 'content_discarded',
    system_message:
      'The answer goes on from an earlier point: the text after it is void, and may come again.',
    metadata: { content: sentSoFar(text) },
  });
}

const systemTypes: Record<string, SystemType | undefined> = {
  'iteration-limit': 'limit_warning',
  'cost-limit': 'limit_warning',
  'token-limit': 'limit_warning',
  'time-limit': 'limit_warning',
  'limit-reached': 'limit_reached',
  'no-progress': 'no_progress',
  'error-limit': 'error_limit',
  'tool-limit': 'tool_limit',
  'options-ignored': 'options_ignored',
};

/** A notice of any other kind is not sent on this wire. */
function systemChunks({ kind, text, metadata }: Of<'notice.posted'>): OracleChunk[] {
  const type = Object.hasOwn(systemTypes, kind) ? systemTypes[kind] : undefined;
  if (type === undefined) return [];
  return [{ type: 'system', system_type: type, system_message: text, metadata }];
}
