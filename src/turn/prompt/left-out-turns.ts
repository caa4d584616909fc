import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { isPlainObject, isSameJson } from '../../platform/json.js';
import { turns } from '../../storage/schema.js';
import type { LeftOut } from '../../storage/shapes/sent-request.js';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { TurnFailure } from '../../storage/shapes/stored-turn.js';
import { writeKind } from '../../storage/write-kind.js';
import type { Progress } from '../state/attempt.js';
import type { PastTurn } from '../state/past-turn.js';

/** Turns that later requests go without, as the provider would refuse every request that has them. */

export type Refused = Exclude<LeftOut, 'superseded'>;

/**
 * Reason of a turn's failure that is in what it sent: a provider that refused it would refuse every later request
 * that has it too. Undefined for every other failure. Pure.
 */
export function refusalOf(failure: TurnFailure | undefined): Refused | undefined {
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

/**
 * Reason to leave a turn that ends out of later requests: no request with its message was taken, or the model
 * declined to answer it. A message that was answered in part was taken: the turn stays. Pure.
 */
export function leftOutOf(
  { steps, steered }: Pick<Progress, 'steps' | 'steered'>,
  failure: TurnFailure | undefined,
): Refused | undefined {
  const [first, ...others] = steps;
  if (first === undefined) return refusalOf(failure);
  const isDeclined = first.stopReason === 'refusal' && others.length + steered.length === 0;
  return isDeclined ? 'declined' : undefined;
}

/**
 * Whether a turn that was left out was not what the provider refused: the next request, without it and with another
 * message, was refused just the same. Pure.
 */
export function isCleared(
  {
    turn,
    userParts,
  }: Pick<PastTurn, 'userParts'> & { turn: Pick<PastTurn['turn'], 'leftOut' | 'failure'> },
  next: { failure: TurnFailure | undefined; storedParts: readonly StoredPart[] },
): boolean {
  return (
    turn.leftOut === 'refused' &&
    turn.failure !== null &&
    turn.failure.message === next.failure?.message &&
    !isSameJson(userParts, next.storedParts)
  );
}

/** Takes a turn back that was left out. Part of a fenced statement. */
export const takeBack = writeKind(
  { id: turns.id },
  (input) => `update turns set left_out = null from ${input} input
    where turns.id = input.id and turns.left_out = 'refused'`,
);

const reasons: Readonly<Record<Refused, string>> = {
  'too-long': 'it is too long for the model',
  refused: 'the provider refused the request with it',
  declined: 'the model declined to answer it',
};

/**
 * The notice for the client of a turn that is left out.
 *
 * @param isPreviousBack whether the turn before is taken back.
 */
export function turnLeftOut(why: Refused, isPreviousBack: boolean): NoticePosted {
  const others = isPreviousBack
    ? 'The message before it, which was left out, was not the cause: later requests have it again.'
    : 'Nothing else is left out.';
  return clientNotice(
    'message',
    'turn-left-out',
    `This message is left out of later requests: ${reasons[why]}. ${others} Ask again in other words or with less.`,
    { reason: why, ...(isPreviousBack ? { takenBack: true } : {}) },
  );
}
