import { createHash } from 'node:crypto';
import type { OnBusy } from '../../options/option-rules.js';
import { chooseOnBusy } from '../../options/resolve-options.js';
import { assertNever } from '../../platform/assert-never.js';
import { canonicalJson, isLongJson } from '../../platform/json.js';
import { invalidRequest } from '../../platform/typed-error.js';
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
 * Everything between a valid body and an accepted turn, in the contract's order: session, provider,
 * busy, options, attachments, quota. Nothing is stored unless all of it passes.
 *
 * A repeated `Idempotency-Key` gives the first turn, also while that one runs. What a busy session
 * means is the request's to say (`opts.onBusy`).
 *
 * @throws TypedError of each check.
 */
export async function submitTurn(
  services: TurnServices,
  submission: TurnSubmission,
): Promise<SubmittedTurn> {
  const requestId = submission.principal?.requestId;
  const logger = requestId === undefined ? services.logger : services.logger.child({ requestId });
  return submit({ ...services, logger }, submission);
}

async function submit(services: TurnServices, submission: TurnSubmission): Promise<SubmittedTurn> {
  const { db, provider, settings } = services;
  const { sessionId, message, opts } = submission;
  if (message.length > settings.maxMessageChars)
    throw messageTooLong(message, settings.maxMessageChars);
  if (isLongJson(opts, settings.maxOptionChars)) throw optionsTooLong(settings.maxOptionChars);
  const { session, isBusy, user } = await findSessionAndTurn(db, sessionId);
  const requestHash = hashRequest(submission);
  const earlier = await findJoinable(services, submission, requestHash);
  if (earlier !== undefined) return earlier;
  provider.assertReady();
  const onBusy = chooseOnBusy(opts);
  if (isBusy) {
    const met = await meetBusy(services, { submission, requestHash, onBusy });
    if (met === 'again') return submit(services, submission);
    if (met !== undefined) return met;
  }
  const { turn, persona } = await prepareTurn(services, {
    submission,
    session,
    user,
    requestHash,
  });
  await checkBudget(services, turn.principalId, turn.budget);
  const concurrentTurns = submission.principal?.limits.concurrentTurns ?? 0;
  let admitted = await admitTurn(services, turn, { onBusy, concurrentTurns });
  if (admitted === 'busy') {
    const met = await meetBusy(services, { submission, requestHash, onBusy });
    if (met === 'again') return submit(services, submission);
    if (met !== undefined) return met;
    // Its turn is ending: what was to join it comes after it.
    admitted = await admitTurn(services, turn, { onBusy: 'enqueue', concurrentTurns });
  }
  if (typeof admitted === 'string') return submit(services, submission);
  const { turnId } = admitted;
  logDelegation(services, { turnId, sessionId, persona }, turn.delegation);
  // What people say is for eyes that asked for it.
  services.logger.debug({ turnId, sessionId, request: turn.request }, 'turn accepted');
  return { ...admitted, onDisconnect: turn.options.options.onDisconnect };
}

interface Met {
  submission: TurnSubmission;
  requestHash: string;
  onBusy: OnBusy;
}

/**
 * What a request that finds its session busy comes to.
 *
 * @returns undefined when it is to be stored as a turn; `again` when a racing one took its key.
 * @throws TypedError TURN_IN_PROGRESS.
 */
async function meetBusy(
  services: TurnServices,
  { submission, requestHash, onBusy }: Met,
): Promise<SubmittedTurn | 'again' | undefined> {
  // What holds the lock may be the same request, accepted since the first look.
  const racing = await findJoinable(services, submission, requestHash);
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

/** The turn that an earlier request with the same key began, or joined. */
async function findJoinable(
  { db }: TurnServices,
  { sessionId, idempotencyKey }: TurnSubmission,
  requestHash: string,
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
