import type { DescribedFault } from '../../../api/describe-fault.js';
import { formatDuration } from '../../../components/format.js';
import type { TurnFault } from '../conversation/turn-view.js';

/** Reason of a turn's failure, and what to do. A retryable fault has a button. Pure. */
export function describeTurnFault(fault: TurnFault): DescribedFault {
  const { type, message, reason, retryable, requestId } = fault;
  const code = [type, reason, requestId].filter((part) => part !== undefined).join(' · ');
  const sentences = [asSentence(message), ...adviceOf(fault)];
  return { text: sentences.join(' '), code, isRetryable: retryable };
}

function adviceOf({ retryable, retryAfterMs }: TurnFault): string[] {
  if (!retryable) return ['The same message would fail again.'];
  // Less than a second is over when it is read.
  if (retryAfterMs === undefined || retryAfterMs < 1_000) return [];
  return [`You can try again in ${formatDuration(retryAfterMs)}.`];
}

/** A provider's text as a sentence, with a capital and a full stop. */
function asSentence(message: string): string {
  const text = message.trim();
  if (text === '') return 'The turn failed.';
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
