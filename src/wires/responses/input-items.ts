import { newId } from '../../platform/ids.js';
import type { JsonObject } from '../../platform/json.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import type { KnownItem } from './client-history.js';
import { badParam } from './responses-errors.js';

/** Beginnings of the ids of items, by their types. */
const prefixes: Partial<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** The items of an input as `input_items` gives them back: each has an id, and no two have the same. */
export function keepInput(items: readonly KnownItem[]): JsonObject[] {
  const given = new Set<string>();
  return items.map(({ kept }) => {
    const { id: sent, ...rest } = kept;
    const type = typeof rest['type'] === 'string' ? rest['type'] : '';
    const isOwn = typeof sent === 'string' && sent !== '' && !given.has(sent);
    const id = isOwn ? sent : newId(prefixes[type] ?? 'item');
    given.add(id);
    return { id, ...rest };
  });
}

/** The answers that a response begins with, as items of its input. Pure. */
export function answerItems(
  approvals: readonly ApprovalRow[],
  answered: readonly string[],
  customTools: readonly string[],
): JsonObject[] {
  return approvals.flatMap((approval): JsonObject[] => {
    const { id, kind, name, decision, output, message } = approval;
    if (!answered.includes(id)) return [];
    if (kind === 'client-tool') {
      const type = customTools.includes(name) ? 'custom_tool_call_output' : 'function_call_output';
      const given = output ?? message ?? '';
      return [{ type, id, call_id: id, output: given, status: 'completed' }];
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
