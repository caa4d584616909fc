import type { Violation } from '../chaos/types.js';
import type { SimulatedDatabase } from './database.js';
import type { ApprovalRecord, SentAnswer } from './run-approvals.js';

interface StoredApproval {
  id: string;
  turnId: string;
  decision: string | null;
  by: string | null;
  answers: { principal: string; decision: string }[];
  /** Principals of the entries of the audit log, one for each answer. */
  noted: string[];
  /** Number of events that tell the decision. */
  told: number;
}

/** Approvals that await people, each with its answers, its entries of the audit log and its events. */
const selectApprovals = `select id, turn_id as "turnId", decision, decided_by as by,
  (select coalesce(json_agg(json_build_object('principal', principal_id, 'decision', decision)), '[]'::json)
    from approval_answers where approval_id = approvals.id) as answers,
  (select coalesce(json_agg(principal_id), '[]'::json) from audit_log
    where action = 'approval.answered' and subject = approvals.id) as noted,
  (select count(*)::integer from turn_archives, json_array_elements(events) event
    where turn_id = approvals.turn_id and event ->> 'type' = 'approval.resolved'
      and event ->> 'approvalId' = approvals.id) as told
  from approvals where awaits is not null`;

/**
 * Checks what became of the answers of people: whose counted, what they came to, and that none is lost. That no call
 * began before is noted by a trigger.
 */
export async function checkApprovals(
  record: ApprovalRecord,
  database: SimulatedDatabase,
): Promise<Violation[]> {
  const rows = (await database.query(selectApprovals)) as unknown as StoredApproval[];
  const found = rows.flatMap((approval) => [
    ...checkAnswers(approval, record),
    ...checkDecision(approval, record),
  ]);
  for (const answer of record.accepted) {
    const stored = rows.find(({ id }) => id === answer.approvalId);
    const isStored = stored?.answers.some((one) => isSame(one, answer));
    const { approvalId, principalId, decision, shown } = answer;
    const turnId = stored?.turnId ?? '';
    const note = `${principalId}, ${decision} to ${approvalId}`;
    if (isStored !== true) found.push({ kind: 'answer-lost', turnId, note });
    const isOther = shown !== undefined && shown !== stored?.decision;
    if (isOther && stored?.decision !== 'cancelled') {
      const told = `${approvalId} is ${String(stored?.decision)}, and ${principalId} was shown ${shown}`;
      found.push({ kind: 'decision-differs', turnId, note: told });
    }
  }
  return found;
}

function isSame(
  one: StoredApproval['answers'][number],
  { principalId, decision }: Pick<SentAnswer, 'principalId' | 'decision'>,
): boolean {
  return one.principal === principalId && one.decision === decision;
}

/** Each stored answer was sent by somebody who might decide then, and is noted once. */
function checkAnswers(
  { id, turnId, answers, noted }: StoredApproval,
  { plan: { quorum }, sent }: ApprovalRecord,
): Violation[] {
  const forged = answers.filter(
    (answer) =>
      !sent.some(
        (one) =>
          one.approvalId === id &&
          isSame(answer, one) &&
          one.roles.some((role) => quorum.by.includes(role)) &&
          !(quorum.notRequester && isRequester(one.principalId)),
      ),
  );
  const found = forged.map(({ principal, decision }): Violation => {
    return { kind: 'answer-forged', turnId, note: `${principal}, ${decision} to ${id}` };
  });
  const given = answers.map(({ principal }) => principal).sort();
  if (given.join() !== noted.toSorted().join()) {
    const note = `${id} has answers of ${given.join()}, the audit log those of ${noted.join()}`;
    found.push({ kind: 'answer-lost', turnId, note });
  }
  return found;
}

/** The requester is the caller of an open server; people have names of their own. */
function isRequester(principalId: string): boolean {
  return principalId === 'local';
}

/** The decision is what the answers come to, or the deadline's while they come to nothing. */
function checkDecision(
  { id, turnId, decision, by, answers, told }: StoredApproval,
  { plan: { quorum } }: ApprovalRecord,
): Violation[] {
  const approving = new Set(
    answers.filter((one) => one.decision === 'approve').map(({ principal }) => principal),
  );
  const isDenied = answers.some((one) => one.decision === 'deny');
  const isMet = approving.size >= quorum.count;
  const shown = `${String(decision)} by ${String(by)}: ${approving.size} of ${quorum.count} approve, ${isDenied ? 'one denies' : 'none denies'}`;
  const report = (note: string): Violation[] => [
    { kind: 'decision-differs', turnId, note: `${id} ${note}` },
  ];
  if (told !== 1) return report(`was told ${told} times`);
  switch (`${String(decision)} by ${String(by)}`) {
    case 'approve by approvers':
      return isMet && !isDenied ? [] : report(shown);
    case 'deny by approvers':
      return isDenied ? [] : report(shown);
    case 'deny by deadline':
      return isMet || isDenied ? report(shown) : [];
    case 'cancelled by server':
      return [];
    default:
      return report(shown);
  }
}
