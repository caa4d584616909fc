import { Inject, Injectable } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { findArgument } from '../../tools/calls/call-paths.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { grantsFor, findCover, ruledCall } from '../../governance/permissions/match-rule.js';
import { OutputFiles } from '../../attachments/output-files.js';
import { outputBlocks } from '../../platform/parsing/tool-output.js';
import { localRequester } from '../../attachments/file-memory.js';
import { canonicalJson } from '../../platform/json.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { sessions } from '../../storage/schema.js';
import { ToolRegistry } from '../../tools/registry.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';
import { ApproverAnswers, type Answerer } from './approver-answers.js';
import { ApprovalStore } from './approval-store.js';
import {
  approvalNotFound,
  approvalAlreadyResolved,
  type Answer,
  type AnswerInput,
  type ApprovalRow,
} from './approval-writes.js';
import { effectiveInput } from './judge-call.js';
import { kindOf } from './question-kinds.js';

/** Characters of a rule in an error message. */
const SHOWN = 200;

export interface AnswerToApproval {
  approvalId: string;
  given: AnswerInput;
}

/** Takes the answers of people to approvals, and resumes the turns that were parked for them. */
@Injectable()
export class ApprovalAnswerer {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly store: ApprovalStore,
    private readonly claims: TurnClaims,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly tools: ToolRegistry,
    private readonly outputs: OutputFiles,
    private readonly approvers: ApproverAnswers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Answers an approval and resumes its turn, in one transaction: whichever process dies after it, the
   * turn goes on by the answer. The same answer again changes nothing. An approval that awaits several people stays
   * open until the last of them.
   *
   * @throws TypedError APPROVAL_NOT_FOUND, APPROVAL_RESOLVED, FORBIDDEN_APPROVER, INVALID_REQUEST.
   */
  async answerOne(answer: AnswerToApproval, by: Answerer): Promise<ApprovalRow> {
    const [answered] = await this.answer({ answers: [answer], by });
    if (answered === undefined) throw approvalNotFound(answer.approvalId);
    return answered;
  }

  /**
   * Answers several approvals at once: all of them or, where one is refused, none. Approvals of one
   * turn that are answered one after the other could resume it with the first and park it again for
   * the second.
   *
   * @returns the approvals in the order of their answers.
   * @throws as `answerOne`.
   */
  async answer({
    answers,
    by,
    alsoStore,
  }: {
    answers: readonly AnswerToApproval[];
    by: Answerer;
    /** What is stored with the answers, unless they were given before. */
    alsoStore?: ((tx: Queryable) => Promise<void>) | undefined;
  }): Promise<ApprovalRow[]> {
    const { db, store } = this;
    const valid: { asked: ApprovalRow; answer: Answer }[] = [];
    for (const { approvalId, given } of answers) {
      const asked = await store.get(approvalId);
      const answer = kindOf(asked).validate(asked, given, this.tools);
      await this.#checkRule(asked, answer);
      valid.push({
        asked,
        answer: {
          ...answer,
          ...(await this.#keepFiles(asked, answer, { given, by: by.id })),
          by: by.id,
        },
      });
    }
    const { rows, woken } = await db.transaction(async (tx) => {
      const answered = new Map<string, ApprovalRow>();
      const turnIds = new Set<string>();
      let hasNew = false;
      // Approvals are locked in one order by all requests, so that two of them cannot deadlock.
      for (const { asked, answer } of valid.toSorted((a, b) =>
        a.asked.id < b.asked.id ? -1 : 1,
      )) {
        if (asked.awaits !== null) {
          const taken = await this.approvers.take(tx, asked.id, { given: answer, person: by });
          answered.set(asked.id, taken.row);
          hasNew ||= taken.isNew;
          if (taken.isDecided) turnIds.add(taken.row.turnId);
          continue;
        }
        const row = await store.answer(asked.id, answer, tx);
        answered.set(asked.id, row ?? sameAnswer(await store.get(asked.id, tx), answer));
        if (row === undefined) continue;
        hasNew = true;
        turnIds.add(row.turnId);
        const { decision, editedInput } = answer;
        const noted = { decision, edited: editedInput !== null };
        await this.approvers.note(tx, row, { person: by, answer: noted });
      }
      if (hasNew) await alsoStore?.(tx);
      const found = valid.flatMap(({ asked }) => answered.get(asked.id) ?? []);
      return { rows: found, woken: await this.claims.wake([...turnIds].sort(), tx) };
    });
    this.#wake(woken);
    return rows;
  }

  /** The sweeper finds turns whose token was lost. */
  #wake(woken: readonly string[]): void {
    if (woken.length === 0) return;
    this.queue
      .wake()
      .catch((error: unknown) =>
        this.logger.warn(
          { woken, error },
          'could not tell the workers that turns were answered; nothing is lost: the sweeper of a worker starts them',
        ),
      );
  }

  /**
   * Approves questions that something else than an answer has met, such as a log-in, in the transaction that stores it:
   * whichever process dies after it, the calls run.
   *
   * @param by who met them, with the credential as the audit log has it.
   * @param met stores what meets questions, and finds these: the ids of their approvals, in order.
   * @returns the ids of those that were open.
   */
  async approve(
    by: { principalId: string; credential: object },
    met: (tx: Queryable) => Promise<readonly string[]>,
  ): Promise<string[]> {
    const { woken, ids } = await this.db.transaction(async (tx) => {
      const answer = { ...plainAnswer, decision: 'approve', by: by.principalId } as const;
      const answered: ApprovalRow[] = [];
      for (const id of await met(tx)) {
        const row = await this.store.answer(id, answer, tx);
        if (row === undefined) continue;
        answered.push(row);
        await this.approvers.noteMet(tx, row, by);
      }
      const turnIds = new Set(answered.map(({ turnId }) => turnId));
      const ids = answered.map(({ id }) => id);
      return { ids, woken: await this.claims.wake([...turnIds].sort(), tx) };
    });
    this.#wake(woken);
    return ids;
  }

  /** The files of a client tool's output, kept; the output has a label in the place of each. */
  async #keepFiles(
    { sessionId }: ApprovalRow,
    { output }: Pick<Answer, 'output'>,
    { given, by }: Pick<AnswerToApproval, 'given'> & { by: string },
  ): Promise<Pick<Answer, 'output' | 'files'>> {
    const blocks = output === null ? undefined : outputBlocks(given.output);
    if (blocks?.some(({ type }) => type === 'file') !== true) return { output, files: null };
    const requester = { principalId: by, wait: localRequester.wait };
    const kept = await this.outputs.keep(blocks, { sessionId, requester });
    return { output: kept.output, files: kept.files.length > 0 ? kept.files : null };
  }

  async #checkRule(
    asked: ApprovalRow,
    { grantRule, editedInput }: Pick<Answer, 'grantRule' | 'editedInput'>,
  ): Promise<void> {
    if (grantRule === null) return;
    const { projectRoot } = sessions;
    const [session] = await this.db
      .select({ projectRoot })
      .from(sessions)
      .where(eq(sessions.id, asked.sessionId));
    if (session === undefined) throw approvalNotFound(asked.id);
    await checkGrant(this.tools, { ...asked, editedInput }, { rule: grantRule, ...session });
  }
}

/**
 * Checks that a rule for the session covers the call that it is given for: any other rule would allow
 * calls that nobody was asked about, and ask about this call again.
 *
 * @param asked with the input that the call will have, where the person changed it.
 * @throws TypedError INVALID_REQUEST, with an example of a rule that covers the call.
 */
async function checkGrant(
  tools: Pick<ToolRegistry, 'list' | 'select'>,
  asked: Pick<ApprovalRow, 'name' | 'input' | 'editedInput'>,
  { rule, projectRoot }: { rule: string; projectRoot: string },
): Promise<void> {
  const [tool = {}] = tools.select([asked.name]).tools;
  const argument = await findArgument(tool, effectiveInput(asked.input, [asked]), projectRoot);
  if (findCover([rule], ruledCall(asked.name, argument)) !== undefined) return;
  const example = grantsFor(asked.name, argument)[0] ?? asked.name;
  const shown = example.length > SHOWN ? asked.name : example;
  throw invalidRequest(
    `'rule' does not cover this call: send one that does, for example ${shown}, or leave it out to approve this input only`,
  );
}

const plainAnswer = {
  message: null,
  editedInput: null,
  grantRule: null,
  output: null,
  files: null,
  isError: null,
};

function sameAnswer(found: ApprovalRow, answer: Answer): ApprovalRow {
  const isSame =
    found.decision === answer.decision &&
    found.decidedBy === answer.by &&
    found.message === answer.message &&
    found.grantRule === answer.grantRule &&
    found.output === answer.output &&
    found.isError === answer.isError &&
    canonicalJson(found.editedInput) === canonicalJson(answer.editedInput);
  if (!isSame) throw approvalAlreadyResolved(found);
  return found;
}

/** Answers in one request: many more than a step asks for, and few enough for one transaction. */
const MAX_ANSWERS = 1_000;

/** @throws TypedError INVALID_REQUEST for more answers than one request may give. */
export function checkAnswerCount(answers: number): void {
  if (answers <= MAX_ANSWERS) return;
  throw invalidRequest(
    `The request has ${answers} answers; the limit is ${MAX_ANSWERS}: answer only the questions of the last step`,
  );
}
