import type { UIMessage } from 'ai';

/**
 * Whether the messages have all that the stream of an open turn would send: the turn waits for approvals. A stream makes
 * the message anew, and would undo an answer that a person gives while it comes. Tools of the client need the stream,
 * which calls them. Pure.
 *
 * @param messages as the dialect's frames were folded.
 */
export function isShownWhole(messages: readonly UIMessage[], turnId: string): boolean {
  const answer = messages.findLast(
    ({ role, metadata }) => role === 'assistant' && ofDialect(metadata).turnId === turnId,
  );
  if (answer === undefined) return false;
  const { waitsFor = [] } = ofDialect(answer.metadata);
  return waitsFor.length > 0 && !answer.parts.some(isCallOfClient);
}

/** The metadata of a message of the dialect, as far as its views need it. */
export function ofDialect(metadata: unknown): { turnId?: string; waitsFor?: readonly string[] } {
  return metadata ?? {};
}

function isCallOfClient(part: UIMessage['parts'][number]): boolean {
  return part.type.startsWith('tool-') && 'state' in part && part.state === 'input-available';
}
