import { clientNotice, type TurnEventBody } from '../../events/turn-event.js';
import type { ModelEvent } from '../../provider/model-types.js';

type Ended = Extract<ModelEvent, { type: 'ended' }>;

/** What readers are told of a reply, beside what it says. Pure. */
export function replyNotices(
  ended: Ended,
  { step, stopReason }: { step: number; stopReason: string },
): TurnEventBody[] {
  const { unknownReason, notHonoured } = ended;
  return [
    ...(stopReason === 'refusal' ? [refusalNotice(ended)] : []),
    ...(unknownReason === undefined ? [] : [unknownReasonNotice(unknownReason)]),
    // Each call of a turn asks for the same.
    ...(notHonoured === undefined || step > 1 ? [] : [notHonouredNotice(notHonoured)]),
  ];
}

/** The model stopped by its own rules; `details` is its provider's explanation. */
function refusalNotice({ details, category }: Ended): TurnEventBody {
  return clientNotice(
    'step',
    'refusal',
    // An explanation is a sentence of its own, with its full stop.
    `The model declined to go on${details === undefined ? '' : `: ${details.replace(/[.\s]+$/, '')}`}.`,
    category === undefined ? undefined : { category },
  );
}

/** The reply may be less than the model meant to say: its reader is to know. */
function unknownReasonNotice(stopReason: string): TurnEventBody {
  const text = `The model stopped for a reason that is not known here (${stopReason}). What came of its reply counts as all of it.`;
  return clientNotice('step', 'unknown-stop-reason', text, { stopReason });
}

/** A turn asked for what its model does not do: it ran without. */
function notHonouredNotice(settings: readonly string[]): TurnEventBody {
  const text = `The maker of the model does not honour all that the turn asks for: ${settings.join('; ')}.`;
  return clientNotice('step', 'not-honoured', text, { settings });
}
