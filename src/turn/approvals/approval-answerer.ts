import { AuditLog, type AuditEntry } from '../../access/audit-log.js';
import { findArgument } from '../../tools/calls/call-paths.js';
import { Inject, Injectable } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { invalidRequest } from '../../errors/typed-error.js';
import { grantsFor, findCover, ruledCall } from '../../governance/permissions/match-rule.js';
import { OutputFiles } from '../../attachments/output-files.js';
import { outputBlocks } from '../../parsing/tool-output.js';
import { localRequester } from '../../attachments/file-memory.js';
import { canonicalJson } from '../../platform/json.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { sessions } from '../../storage/schema.js';
import { ToolRegistry } from '../../tools/registry.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';
import { approvalNotFound, approvalAlreadyResolved } from './approval-errors.js';
import { ApprovalStore } from './approval-store.js';
import type { Answer, ApprovalRow } from './approval-writes.js';
import { effectiveInput } from './judge-call.js';
import { validateAnswer, type GivenAnswer } from './validate-answer.js';

/** Characters of a rule in an error message. */
const SHOWN = 200;

export interface AnswerToApproval {
  approvalId: string;
  given: GivenAnswer;
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
    private readonly audit: AuditLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Answers an approval and resumes its turn, in one transaction: whichever process dies after it, the
   * turn goes on by the answer. The same answer again changes nothing.
   *
   * @throws TypedError APPROVAL_NOT_FOUND, APPROVAL_RESOLVED, INVALID_REQUEST.
   */
  async answerOne(answer: AnswerToApproval, by: string): Promise<ApprovalRow> {
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
    beside,
  }: {
    answers: readonly AnswerToApproval[];
    by: string;
    /** What is stored with the answers, unless they were given before. */
    beside?: ((tx: Queryable) => Promise<void>) | undefined;
  }): Promise<ApprovalRow[]> {
    const { db, store, queue, logger } = this;
    const valid: { asked: ApprovalRow; answer: Answer }[] = [];
    for (const { approvalId, given } of answers) {
      const asked = await store.get(approvalId);
      const answer = validateAnswer(this.tools, asked, given);
      await this.#checkRule(asked, answer);
      valid.push({
        asked,
        answer: { ...answer, ...(await this.#keepFiles(asked, answer, { given, by })), by },
      });
    }
    const { rows, woken } = await db.transaction(async (tx) => {
      const answered = new Map<string, ApprovalRow>();
      const turnIds = new Set<string>();
      // Approvals are locked in one order by all requests, so that two of them cannot deadlock.
      for (const { asked, answer } of valid.toSorted((a, b) =>
        a.asked.id < b.asked.id ? -1 : 1,
      )) {
        const row = await store.answer(asked.id, answer, tx);
        answered.set(asked.id, row ?? sameAnswer(await store.get(asked.id, tx), answer));
        if (row === undefined) continue;
        turnIds.add(row.turnId);
        await this.audit.write(auditOf(row, by), tx);
      }
      if (turnIds.size > 0) await beside?.(tx);
      const found = valid.flatMap(({ asked }) => answered.get(asked.id) ?? []);
      return { rows: found, woken: await this.claims.wake([...turnIds].sort(), tx) };
    });
    // The sweeper finds turns whose token was lost.
    if (woken.length > 0) {
      queue
        .wake()
        .catch((error: unknown) => logger.warn({ woken, error }, 'an answer woke no worker'));
    }
    return rows;
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
    `'rule' does not cover the call it is given for: send one that does, for example ${shown}, or none for this very call`,
  );
}

function auditOf(answered: ApprovalRow, by: string): AuditEntry {
  const { id, decision, turnId, name: tool, editedInput } = answered;
  const details = { decision, turnId, tool, edited: editedInput !== null };
  return { principalId: by, action: 'approval.answered', subject: id, details };
}

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
