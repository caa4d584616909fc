import { isPlainObject } from '../platform/json.js';
import type { AssistantPart } from '../provider/model-types.js';

/**
 * Steps without those uses of the provider's own tools that have no result in them: a request is
 * refused that goes on after one. Pure.
 */
export function dropOpenServerTools<T extends { parts: readonly AssistantPart[] }>(
  steps: readonly T[],
): readonly T[] {
  const answered = new Set(steps.flatMap(({ parts }) => parts.flatMap(answeredUse)));
  if (!steps.some(({ parts }) => parts.some((part) => isOpen(part, answered)))) return steps;
  return steps.map((step) => ({
    ...step,
    parts: step.parts.filter((part) => !isOpen(part, answered)),
  }));
}

function isOpen(part: AssistantPart, answered: ReadonlySet<unknown>): boolean {
  return (
    part.type === 'opaque' &&
    part.block['type'] === 'server_tool_use' &&
    !answered.has(part.block['id'])
  );
}

/** The id of the use that a result answers; `web_search_tool_result` and the like. */
function answeredUse(part: AssistantPart): unknown[] {
  if (part.type !== 'opaque' || !isPlainObject(part.block)) return [];
  const { tool_use_id: id } = part.block;
  return id === undefined ? [] : [id];
}
