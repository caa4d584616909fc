import type { JsonObject } from '../../platform/json.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import { badParam } from './responses-errors.js';

/** The answers that a response begins with, as items of its input. Pure. */
export function answerItems(
  approvals: readonly ApprovalRow[],
  answered: readonly string[],
): JsonObject[] {
  return approvals.flatMap((approval): JsonObject[] => {
    const { id, kind, decision, output, message } = approval;
    if (!answered.includes(id)) return [];
    if (kind === 'client-tool') {
      const given = output ?? message ?? '';
      return [
        { type: 'function_call_output', id, call_id: id, output: given, status: 'completed' },
      ];
    }
    const approve = decision === 'approve' || decision === 'approve-session';
    const answer = { approval_request_id: id, approve, reason: message };
    return [{ type: 'mcp_approval_response', id, ...answer }];
  });
}

export interface InputItemsPage {
  object: 'list';
  data: JsonObject[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/**
 * A page of input items. Pure.
 *
 * @param items in the order in which they were sent.
 * @throws TypedError INVALID_REQUEST 400 for an item that is not there.
 */
export function pageItems(
  items: readonly JsonObject[],
  { after, limit, order }: { after: string | undefined; limit: number; order: 'asc' | 'desc' },
): InputItemsPage {
  const sorted = order === 'asc' ? items : items.toReversed();
  const at = after === undefined ? -1 : sorted.findIndex(({ id }) => id === after);
  if (after !== undefined && at < 0) {
    throw badParam('after', "'after' must be the id of an item of the same response");
  }
  const data = sorted.slice(at + 1, at + 1 + limit);
  const idOf = (item: JsonObject | undefined) =>
    typeof item?.['id'] === 'string' ? item['id'] : null;
  return {
    object: 'list',
    data,
    first_id: idOf(data[0]),
    last_id: idOf(data.at(-1)),
    has_more: at + 1 + limit < sorted.length,
  };
}
