import type { DescribedFault } from '../../app/describe-fault.js';
import { formatDuration } from '../../ui/format.js';
import type { TurnFault } from '../conversation/turn-view.js';

/** Why a turn failed and what to do, for a person: what may be tried again has a button for it. Pure. */
export function describeTurnFault(fault: TurnFault): DescribedFault {
  const { type, message, reason, retryable, requestId } = fault;
  const code = [type, reason, requestId].filter((part) => part !== undefined).join(' · ');
  const sentences = [asSentence(message), ...adviceOf(fault)];
  return { text: sentences.join(' '), code, isRetryable: retryable };
}

function adviceOf({ retryable, retryAfterMs }: TurnFault): string[] {
  if (!retryable) return ['Sent again as it is, it would fail in the same way.'];
  if (retryAfterMs === undefined) return [];
  return [`It can be tried again in ${formatDuration(retryAfterMs)}.`];
}

/** Texts of a provider begin and end anyhow. */
function asSentence(message: string): string {
  const text = message.trim();
  if (text === '') return 'The turn failed.';
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
