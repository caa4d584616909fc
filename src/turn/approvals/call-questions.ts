import { parseJson, printJson } from '../../platform/exact-json.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import type { SecretPlace } from '../../access/secrets/secret-columns.js';
import { approvals } from '../../storage/governance-schema.js';
import type { CallAnswer, CallWaits } from '../../tools/tool.js';
import type { Attempt, ToolUse } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import type { ApprovalRow } from './approval-writes.js';
import { isOfCall, kindOf } from './question-kinds.js';
import { canAsk } from '../state/turn-row.js';

/** Questions that a call may ask, all of its runs together. */
const MAX_QUESTIONS = 10;

/** Whether an approval is a question of a call, and not about it. */
export function isAsked<A extends Pick<ApprovalRow, 'kind'>>(
  approval: A,
): approval is A & { kind: CallAnswer['kind'] } {
  return isOfCall(approval.kind);
}

/** Why a call cannot ask, for its model; undefined: it can. */
export function refuseQuestion(
  run: Pick<AttemptContext, 'turn' | 'rules' | 'approvals'>,
  call: ToolUse,
  { asked, executed }: Pick<CallWaits, 'asked' | 'executed'>,
): string | undefined {
  const ran = executed ? 'It may have done part of its work.' : 'It was not run.';
  if (!canAsk(run.turn.request, run.rules.permissions.layers)) {
    const { needs = 'an answer from a person' } = kindOf({ kind: asked.kind, awaits: null });
    return `${call.name} needs ${needs}, and nobody can be asked in this turn: ${asked.reason}. ${ran}`;
  }
  if (questionsOf(run.approvals, call).length < MAX_QUESTIONS) return undefined;
  return `${call.name} has asked ${MAX_QUESTIONS} questions, which is as many as a call may. ${ran}`;
}

/** The number of the call's next question of a kind. */
export function nextRound(
  rows: readonly ApprovalRow[],
  call: ToolUse,
  kind: ApprovalRow['kind'],
): number {
  const rounds = rows.filter((one) => one.callId === call.id && one.kind === kind);
  return 1 + Math.max(0, ...rounds.map(({ round }) => round));
}

/** The answers to a call's questions, with what the call kept for its next run. @throws TypedError SECRET_UNREADABLE. */
export async function openAnswers(run: Attempt, call: ToolUse): Promise<CallAnswer[]> {
  const { vault } = run.services;
  const answered = questionsOf(run.approvals, call).filter(
    ({ decision }) => decision !== null && decision !== 'cancelled',
  );
  return Promise.all(
    answered.map(async (row): Promise<CallAnswer> => {
      const { callState } = row;
      if (callState === null) return answerOf(row);
      const state = await vault.open(callState, placeOf(run, row.id));
      return { ...answerOf(row), state: parseObject(state) };
    }),
  );
}

/** The answer that a row has. */
export function answerOf(row: ApprovalRow): CallAnswer {
  if (!isAsked(row)) throw new Error(`Approval ${row.id} is no question of a call`);
  const { kind, question, output } = row;
  const content = output === null ? undefined : parseObject(output);
  return { kind, question: question ?? {}, action: actionOf(row), ...compact({ content }) };
}

/** What a call keeps until the answer, as it is stored. @throws TypedError SECRET_UNREADABLE. */
export async function sealState(
  run: Attempt,
  approvalId: string,
  state: JsonObject | undefined,
): Promise<string | null> {
  if (state === undefined) return null;
  return run.services.vault.seal(printJson(state), placeOf(run, approvalId));
}

/** The action of a decided question, as the protocol names it. */
export function actionOf({
  decision,
  decidedBy,
}: Pick<ApprovalRow, 'decision' | 'decidedBy'>): CallAnswer['action'] {
  if (decision === 'deny') return decidedBy === 'deadline' ? 'cancel' : 'decline';
  return decision === 'cancel' || decision === 'cancelled' ? 'cancel' : 'accept';
}

function questionsOf(rows: readonly ApprovalRow[], call: ToolUse) {
  return rows.filter((row) => row.callId === call.id).filter((row) => isAsked(row));
}

function placeOf({ turn }: Pick<Attempt, 'turn'>, row: string): SecretPlace {
  return { column: approvals.callState, row, principalId: turn.principalId };
}

function parseObject(text: string): JsonObject {
  const parsed = parseJson(text);
  if (!isPlainObject(parsed)) throw new Error('The stored state of a question is no object');
  // It was parsed from JSON, so its members are JSON too.
  return parsed as JsonObject;
}
