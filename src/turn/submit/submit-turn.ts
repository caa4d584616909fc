import { createHash } from 'node:crypto';
import type { OnBusy } from '../../storage/shapes/stored-options.js';
import { chooseOnBusy } from '../../options/early-options.js';
import { assertNever } from '../../platform/assert-never.js';
import { canonicalJson, isLongJson } from '../../platform/json.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { checkBudget } from '../budgets/check-budget.js';
import { admitTurn } from './admit-turn.js';
import { findSteeredByKey } from './store-steered-message.js';
import { steerTurn } from './steer-turn.js';
import { logDelegation } from './decide-delegation.js';
import { prepareTurn } from './prepare-turn.js';
import type { SubmittedTurn, TurnSubmission } from './turn-submission.js';
import { idempotencyKeyReused, optionsTooLong, turnInProgress } from '../state/turn-errors.js';
import { findSessionAndTurn, findTurnByKey, getTurn } from '../state/turn-lookup.js';
import type { TurnServices } from '../state/turn-services.js';

/**
 * Takes a valid body to an accepted turn, with the checks in the contract's order: session, provider,
 * busy, options, attachments, quota. Nothing is stored unless all of them pass.
 *
 * A repeated `Idempotency-Key` gives the first turn, also while that turn runs. `opts.onBusy` says what
 * becomes of a request whose session is busy.
 *
 * @throws TypedError of each check.
 */
export async function submitTurn(
  services: TurnServices,
  submission: TurnSubmission,
): Promise<SubmittedTurn> {
  const { sessionId, message, opts, principal } = submission;
  const { maxMessageChars, maxOptionChars } = services.settings;
  if (message.length > maxMessageChars) throw messageTooLong(message, maxMessageChars);
  if (isLongJson(opts, maxOptionChars)) throw optionsTooLong(maxOptionChars);
  const requestId = principal?.requestId;
  const logger = requestId === undefined ? services.logger : services.logger.child({ requestId });
  const request = { submission, requestHash: hashRequest(submission), onBusy: chooseOnBusy(opts) };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const submitted = await trySubmit({ ...services, logger }, request);
    if (submitted !== 'key-taken') return submitted;
  }
  throw turnInProgress(sessionId);
}

/** Each try after the first finds the request that took the idempotency key, unless that is gone already. */
const MOST_TRIES = 3;

interface Request {
  submission: TurnSubmission;
  requestHash: string;
  onBusy: OnBusy;
}

async function trySubmit(
  services: TurnServices,
  request: Request,
): Promise<SubmittedTurn | 'key-taken'> {
  const { db, provider, logger } = services;
  const { submission, requestHash, onBusy } = request;
  const { sessionId, principal } = submission;
  const { session, isBusy, user } = await findSessionAndTurn(db, sessionId);
  const earlier = await findEarlier(services, request);
  if (earlier !== undefined) return earlier;
  provider.assertReady();
  const met = isBusy ? await meetBusy(services, request) : undefined;
  if (met !== undefined) return met;
  const { turn, persona } = await prepareTurn(services, { submission, session, user, requestHash });
  await checkBudget(services, turn.principalId, turn.budget);
  const concurrentTurns = principal?.limits.concurrentTurns ?? 0;
  let admitted = await admitTurn(services, turn, { onBusy, concurrentTurns });
  if (admitted === 'busy') {
    const metNow = await meetBusy(services, request);
    if (metNow !== undefined) return metNow;
    // The active turn is ending: the message that was to steer it comes after it.
    admitted = await admitTurn(services, turn, { onBusy: 'enqueue', concurrentTurns });
  }
  if (typeof admitted === 'string') return 'key-taken';
  const { turnId } = admitted;
  logDelegation(services, { turnId, sessionId, persona }, turn.delegation);
  // What people say is for eyes that asked for it.
  logger.debug({ turnId, sessionId, request: turn.request }, 'turn accepted');
  return { ...admitted, onDisconnect: turn.options.options.onDisconnect };
}

/**
 * Applies the request's busy policy.
 *
 * @returns undefined when the request is to be stored as a turn; `key-taken` when a racing request
 *   took its idempotency key.
 * @throws TypedError TURN_IN_PROGRESS.
 */
async function meetBusy(
  services: TurnServices,
  request: Request,
): Promise<SubmittedTurn | 'key-taken' | undefined> {
  const { submission, requestHash, onBusy } = request;
  // The active turn may be the same request, accepted since the first look.
  const racing = await findEarlier(services, request);
  if (racing !== undefined) return racing;
  switch (onBusy) {
    case 'reject':
      throw turnInProgress(submission.sessionId);
    case 'enqueue':
    case 'interrupt':
      return undefined;
    case 'steer':
      return steerTurn(services, submission, requestHash);
    default:
      return assertNever(onBusy);
  }
}

/** The turn that an earlier request with the same idempotency key began, or steered. */
async function findEarlier(
  { db }: TurnServices,
  { submission: { sessionId, idempotencyKey }, requestHash }: Request,
): Promise<SubmittedTurn | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const turn = await findTurnByKey(db, sessionId, idempotencyKey);
  const message =
    turn === undefined ? await findSteeredByKey(db, sessionId, idempotencyKey) : undefined;
  const found = turn ?? message;
  if (found === undefined) return undefined;
  const turnId = turn?.id ?? message?.turnId ?? '';
  if (found.requestHash !== requestHash) throw idempotencyKeyReused(turnId);
  const { onDisconnect } = (turn ?? (await getTurn(db, turnId))).options.options;
  return { turnId, onDisconnect, disposition: { type: 'repeated' } };
}

function hashRequest({ message, opts, attachments, files = [] }: TurnSubmission): string {
  const sent = files.map(({ name, sha256 }) => ({ name, sha256 }));
  const request = { message, opts, attachments, ...(sent.length === 0 ? {} : { sent }) };
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

function messageTooLong(message: string, limit: number) {
  return invalidRequest(
    `'message' has ${message.length} characters; the limit is ${limit}. Send the rest as an attachment, or raise TURNPIKE_MAX_MESSAGE_CHARS.`,
    { limit },
  );
}
