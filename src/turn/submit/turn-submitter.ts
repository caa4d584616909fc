import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { namedOnBusy, parseReplaced } from '../../options/option-rules.js';
import { callerLogger } from '../../access/principal.js';
import { assertNever } from '../../platform/assert-never.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { canonicalJson, isLongJson } from '../../platform/json.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ModelProvider } from '../../provider/model-provider.js';
import { and, eq, isNull } from 'drizzle-orm';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import { checkBudget } from '../../governance/budgets/reserve-call.js';
import {
  clientLeft,
  idempotencyKeyReused,
  messageTooLong,
  optionsTooLong,
  replacedRuns,
  replayTakesNoTurns,
  turnInProgress,
  turnNotInSession,
  turnSuperseded,
} from '../state/turn-errors.js';
import {
  findPreferences,
  findSessionAndTurn,
  findTurnByKey,
  getTurn,
  type TurnRow,
} from '../state/turn-row.js';
import { findBusyPolicy } from './busy-policy.js';
import { logDelegation } from '../../governance/permissions/subagent-gate.js';
import { findSteeredByKey } from './steer-turn.js';
import { TurnAdmitter } from './turn-admitter.js';
import { TurnPreparer } from './turn-preparer.js';
import type { SubmittedTurn, ClientTurn, TurnSubmission } from './turn-submission.js';

/** Each try after the first finds the request that took the idempotency key, unless that is gone already. */
const MAX_TRIES = 3;

type SubmitConfig = Pick<
  Config,
  'maxMessageChars' | 'maxBodyBytes' | 'sessionQueue' | 'subagentWarnMs'
>;

/** What a request may change of a turn that waits for it. */
export type TurnAmendments = Pick<
  TurnSubmission,
  'opts' | 'principal' | 'instructions' | 'responses' | 'asAgent' | 'wireMode'
>;

interface Request {
  submission: TurnSubmission;
  requestHash: string;
  /** The turn whose place the request's turn takes. */
  replaces: string | undefined;
  logger: Logger;
}

/** Takes a valid body to an accepted turn. */
@Injectable()
export class TurnSubmitter {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: SubmitConfig,
    private readonly provider: ModelProvider,
    private readonly preparer: TurnPreparer,
    private readonly admitter: TurnAdmitter,
    private readonly canceller: TurnCanceller,
  ) {}

  /**
   * Makes the checks in the contract's order: session, provider, busy, options, attachments, quota.
   * Nothing is stored unless all of them pass.
   *
   * A repeated `Idempotency-Key` gives the first turn, also while that turn runs. `opts.onBusy`
   * decides on a request whose session is busy, or its wire (see `WhenBusy`).
   *
   * @throws TypedError of each check.
   */
  async submit(submission: TurnSubmission): Promise<SubmittedTurn> {
    const { sessionId, message, opts, principal } = submission;
    // Options are stored, and walked by many rules: they have the limit of bodies without files.
    const { maxMessageChars, maxBodyBytes: maxOptionChars } = this.config;
    if (message.length > maxMessageChars) throw messageTooLong(message, maxMessageChars);
    if (isLongJson(opts, maxOptionChars)) throw optionsTooLong(maxOptionChars);
    const logger = callerLogger(this.logger, principal);
    const requestHash = hashRequest(submission);
    const replaces = parseReplaced(opts);
    const request = { submission, requestHash, replaces, logger };
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const submitted = await this.#trySubmit(request);
      if (submitted !== 'key-taken') return submitted;
    }
    throw turnInProgress(sessionId);
  }

  /**
   * Gives a turn that waits for answers the terms of the request that answers it: options, instructions, and what the
   * wire keeps of it. The turn goes on by them.
   *
   * @returns stores them in the transaction of the answers.
   * @throws TypedError of each check of options.
   */
  async revise(
    turn: Pick<TurnRow, 'id' | 'sessionId' | 'request'>,
    terms: TurnAmendments,
  ): Promise<(tx: Queryable) => Promise<void>> {
    const { opts, principal, instructions, responses } = terms;
    const { session, user } = await findSessionAndTurn(this.db, turn.sessionId);
    const logger = callerLogger(this.logger, principal);
    const { message, attachments } = turn.request;
    const given = { sessionId: turn.sessionId, message, attachments, idempotencyKey: undefined };
    const submission = { ...given, ...terms };
    const preparation = { submission, session, user, logger };
    const { resolution: options, delegation } = await this.preparer.resolve(preparation);
    const { instructions: _before, ...rest } = turn.request;
    const request = { ...rest, opts, ...compact({ instructions, responses }) };
    return async (tx) => {
      const isOpen = and(eq(turns.id, turn.id), isNull(turns.endedAt));
      await tx.update(turns).set({ options, delegation, request }).where(isOpen);
    };
  }

  async #trySubmit(request: Request): Promise<SubmittedTurn | 'key-taken'> {
    const { db, clock } = this;
    const { submission, logger } = request;
    const { sessionId, principal, extraWrites } = submission;
    const { session, isBusy, user } = await this.#findSession(submission);
    if (session.replayOf !== null && submission.replay === undefined) {
      throw replayTakesNoTurns(sessionId, session.replayOf);
    }
    const earlier = await this.#findEarlier(request);
    if (earlier !== undefined) return earlier;
    this.provider.assertReady();
    const met = isBusy ? await this.#meetBusy(request) : 'reject';
    if (isAnswered(met)) return met;
    const { turn, persona } = await this.preparer.prepare({ ...request, session, user });
    if (turn.budget !== undefined) await checkBudget({ db, clock }, turn.principalId, turn.budget);
    // The next try of the request has a turn of its own.
    if (principal?.try?.isAbandoned() === true) throw clientLeft();
    const concurrentTurns = principal?.limits.concurrentTurns ?? 0;
    const trace = principal?.trace;
    const admission = { concurrentTurns, logger, trace, extraWrites };
    let admitted = await this.admitter.admit(turn, { onBusy: met, ...admission });
    if (admitted === 'busy') {
      const metNow = await this.#meetBusy(request);
      if (isAnswered(metNow)) return metNow;
      // The request is valid: what it replaces may end.
      if (turn.replaces !== undefined) await this.#endReplaced(sessionId, turn.replaces);
      admitted = await this.admitter.admit(turn, { onBusy: metNow, ...admission });
    }
    if (typeof admitted === 'string') return 'key-taken';
    const { turnId } = admitted;
    const about = { turnId, sessionId, persona };
    logDelegation({ logger, config: this.config }, about, turn.delegation);
    logger.debug({ turnId, sessionId, disposition: admitted.disposition.type }, 'turn accepted');
    const { onDisconnect } = turn.options.options;
    return { ...admitted, onDisconnect, origin: session.origin };
  }

  /** The turn's session: one that is stored already, or one that is to be stored with the turn. */
  async #findSession({ sessionId, extraWrites }: TurnSubmission) {
    const session = extraWrites?.session;
    if (session === undefined) return findSessionAndTurn(this.db, sessionId);
    return { session, isBusy: false, user: await findPreferences(this.db, session.principalId) };
  }

  /**
   * Applies the request's busy policy.
   *
   * @returns how the request is to be stored as a turn; `key-taken` when a racing request took its idempotency key.
   * @throws TypedError TURN_IN_PROGRESS.
   */
  async #meetBusy(request: Request): Promise<SubmittedTurn | 'key-taken' | Holding> {
    const { submission, replaces } = request;
    const { sessionId, opts } = submission;
    // The active turn may be the same request, accepted since the first look.
    const racing = await this.#findEarlier(request);
    if (racing !== undefined) return racing;
    const named = namedOnBusy(opts);
    const onBusy = named ?? (await findBusyPolicy(this.db, submission));
    if (replaces !== undefined) {
      const mayEnd = named === undefined ? onBusy !== 'reject' : onBusy === 'interrupt';
      if (!mayEnd) throw replacedRuns(sessionId);
      return 'reject';
    }
    switch (onBusy) {
      case 'reject':
        throw turnInProgress(sessionId);
      case 'enqueue':
      case 'interrupt':
        return onBusy;
      case 'steer':
        // Where nobody could have the message any more, it comes after the turn that is ending.
        return (await this.admitter.steer(request)) ?? 'enqueue';
      default:
        return assertNever(onBusy);
    }
  }

  /**
   * What has not ended is not replaced, and nothing comes after what is: all turns of the session end first, held
   * ones too.
   *
   * @throws TypedError TURN_NOT_FOUND, TURN_SUPERSEDED; TURN_IN_PROGRESS where a turn did not end in time.
   */
  async #endReplaced(sessionId: string, replaces: string): Promise<void> {
    const { db } = this;
    const replaced = await getTurn(db, replaces);
    if (replaced.sessionId !== sessionId) throw turnNotInSession(replaces, sessionId);
    const { supersededBy } = replaced;
    if (supersededBy !== null) throw turnSuperseded(replaces, supersededBy);
    await this.canceller.endTurns(sessionId, 'superseded');
  }

  /** The turn that an earlier request with the same idempotency key began, or steered. */
  async #findEarlier({
    submission: { sessionId, idempotencyKey },
    requestHash,
    logger,
  }: Request): Promise<SubmittedTurn | undefined> {
    const { db } = this;
    if (idempotencyKey === undefined) return undefined;
    const turn = await findTurnByKey(db, sessionId, idempotencyKey);
    const message =
      turn === undefined ? await findSteeredByKey(db, sessionId, idempotencyKey) : undefined;
    const found = turn ?? message;
    if (found === undefined) return undefined;
    const turnId = turn?.id ?? message?.turnId ?? '';
    if (found.requestHash !== requestHash) throw idempotencyKeyReused(turnId);
    const { onDisconnect } = (turn ?? (await getTurn(db, turnId))).options.options;
    const waking = turn?.status === 'queued' ? this.admitter.wakeAgain(turnId, logger) : undefined;
    return { turnId, onDisconnect, disposition: { type: 'repeated' }, ...compact({ waking }) };
  }
}

/** How a request is stored as a turn; `reject`: in a session that is not busy. */
type Holding = 'reject' | 'enqueue' | 'interrupt';

function isAnswered(
  met: SubmittedTurn | 'key-taken' | Holding,
): met is SubmittedTurn | 'key-taken' {
  return typeof met === 'object' || met === 'key-taken';
}

function hashRequest(submission: TurnSubmission): string {
  const {
    message,
    opts,
    attachments,
    files = [],
    replay,
    clientTurns = [],
    instructions,
  } = submission;
  const sent = files.map(({ name, sha256 }) => ({ name, sha256 }));
  const asked = { message, opts, attachments, ...(sent.length === 0 ? {} : { sent }) };
  const request = {
    ...asked,
    ...compact({
      replay: replay?.tools,
      instructions,
      told: submission.clientTurnsOnlyIfEmpty === true ? undefined : hashedTurns(clientTurns),
    }),
  };
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

function hashedTurns(clientTurns: readonly ClientTurn[]): unknown {
  if (clientTurns.length === 0) return undefined;
  return clientTurns.map(({ content, replies }) => ({
    said: content.map((one) => {
      if (typeof one === 'string') return one;
      return 'id' in one ? [one.id] : [one.name, one.sha256];
    }),
    replies,
  }));
}
