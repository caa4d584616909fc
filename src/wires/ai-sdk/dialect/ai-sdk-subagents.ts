import type { EventOf } from '../../../events/turn-event.js';
import type { AiSdkChunk } from './ai-sdk-frames.js';

/** Characters of a subagent's text that are shown: the newest. */
const MOST_TEXT = 2_000;
/** Characters after which a growing text is sent again: the part is sent whole each time. */
const SAID_EVERY = 200;

interface Subagent {
  /** The `task` call that started the subagent. */
  toolCallId: string;
  name: string;
  status: 'running' | 'waiting' | 'completed' | 'limited' | 'interrupted' | 'failed';
  text: string;
  isCut: boolean;
  /** Characters of the text that were not sent yet. */
  unsent: number;
}

/** Subagents by the ids of their turns. */
export type AiSdkSubagents = ReadonlyMap<string, Subagent>;

type Encoded = { subagents: AiSdkSubagents; chunks: AiSdkChunk[] };

export function beginSubagent(
  subagents: AiSdkSubagents,
  { callId: toolCallId, childTurnId, agent: name }: EventOf<'subagent.started'>,
): Encoded {
  const begun = { toolCallId, name, status: 'running' as const, text: '', isCut: false, unsent: 0 };
  return sendAgain(subagents, childTurnId, begun);
}

/** The part that shows a subagent changes with the subagent's own events. */
export function followSubagent(
  subagents: AiSdkSubagents,
  { childTurnId, event }: EventOf<'subagent.told'>,
): Encoded {
  const before = subagents.get(childTurnId);
  if (before === undefined) return { subagents, chunks: [] };
  if (event.type === 'text.delta') {
    const grown = { ...before, ...grow(before, event.text), status: 'running' as const };
    if (grown.unsent >= SAID_EVERY) return sendAgain(subagents, childTurnId, grown);
    return { subagents: new Map(subagents).set(childTurnId, grown), chunks: [] };
  }
  const status = event.type === 'turn.parked' ? 'waiting' : 'running';
  const isWhole = event.type === 'step.ended' && before.unsent > 0;
  if (status === before.status && !isWhole) return { subagents, chunks: [] };
  return sendAgain(subagents, childTurnId, { ...before, status });
}

export function endSubagent(
  subagents: AiSdkSubagents,
  { childTurnId, outcome }: EventOf<'subagent.ended'>,
): Encoded {
  const before = subagents.get(childTurnId);
  if (before === undefined) return { subagents, chunks: [] };
  return sendAgain(subagents, childTurnId, { ...before, status: outcome });
}

function grow(before: Subagent, more: string): Pick<Subagent, 'text' | 'isCut' | 'unsent'> {
  const text = before.text + more;
  const isCut = before.isCut || text.length > MOST_TEXT;
  // Half of a surrogate pair that was cut is left out.
  const kept = text.slice(-MOST_TEXT).replace(/^[\uDC00-\uDFFF]/, '');
  return { text: kept, isCut, unsent: before.unsent + more.length };
}

function sendAgain(subagents: AiSdkSubagents, id: string, subagent: Subagent): Encoded {
  const { unsent: _unsent, ...data } = subagent;
  return {
    subagents: new Map(subagents).set(id, { ...subagent, unsent: 0 }),
    chunks: [{ type: 'data-subagent', id, data }],
  };
}
