import type { NoticePosted } from '../../events/turn-event.js';
import { isPlainObject } from '../../platform/json.js';
import { turns } from '../../storage/schema.js';
import { writeKind } from '../../storage/write-kind.js';
import type { TurnFailure } from '../../storage/shapes/stored-turn.js';
import type { LeftOut } from '../../storage/shapes/sent-request.js';

type Refused = Exclude<LeftOut, 'superseded'>;

/**
 * Reason to leave a failed turn out of later requests: a provider that refused what the turn sent
 * would refuse every later turn that has it too. Undefined for every other failure. Pure.
 */
export function leftOutOf(failure: TurnFailure | undefined): Refused | undefined {
  const details = failure?.details;
  if (!isPlainObject(details) || details['provider'] !== 'anthropic') return undefined;
  switch (details['reason']) {
    case 'PROMPT_TOO_LONG':
      return 'too-long';
    case 'INVALID_REQUEST':
    case 'REQUEST_TOO_LARGE':
    case 'THINKING_REFUSED':
      return 'refused';
    default:
      return undefined;
  }
}

/** The notice for the client of a turn that is left out. */
export function turnLeftOut(why: Refused): NoticePosted {
  const reason = why === 'too-long' ? 'it is too long for the model' : 'the provider refused it';
  return {
    type: 'notice.posted',
    kind: 'turn-left-out',
    level: 'message',
    text: `This turn is left out of the conversation from now on: ${reason}. Earlier turns are as they were; ask again in other words or with less.`,
    metadata: { reason: why },
    seenByModel: false,
  };
}

/**
 * Leaves out the earlier turns of a session where the turn before was refused as well: the fault is
 * in what came before both. Part of a fenced statement.
 */
export const leaveAllOut = writeKind(
  { sessionId: turns.sessionId },
  (given) => `update turns set left_out = 'refused' from ${given} given
    where turns.session_id = given."sessionId" and turns.id <> given.fence_id
      and turns.left_out is null and turns.ended_at is not null
      and (
        select last.left_out from turns last
        where last.session_id = given."sessionId" and last.id <> given.fence_id
          and last.superseded_by is null
          and last.ended_at is not null
        order by last.created_at desc, last.id desc limit 1
      ) = 'refused'`,
);
