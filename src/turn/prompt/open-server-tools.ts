import { isPlainObject } from '../../platform/json.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';

interface Steps {
  parts: readonly AssistantPart[];
}

/**
 * Steps without uses of the provider's own tools that have no result in them: a request that goes
 * on after such a use is refused. Pure.
 */
export function dropOpenServerTools<T extends Steps>(steps: readonly T[]): readonly T[] {
  if (!hasOpenServerTool(steps)) return steps;
  const answered = answeredIn(steps);
  return steps.map((step) => ({
    ...step,
    parts: step.parts.filter((part) => !isOpen(part, answered)),
  }));
}

/** Whether a use of the provider's own tools has no result in these steps. Pure. */
export function hasOpenServerTool(steps: readonly Steps[]): boolean {
  const answered = answeredIn(steps);
  return steps.some(({ parts }) => parts.some((part) => isOpen(part, answered)));
}

/**
 * Whether a reply is continued as it is: the provider paused it, or runs a tool of its own. Only
 * results of tools that the reply waits for may be sent before that. Pure.
 */
export function isReplyOpen(steps: readonly (Steps & { stopReason: string })[]): boolean {
  const last = steps.at(-1);
  return last !== undefined && (last.stopReason === 'pause_turn' || hasOpenServerTool([last]));
}

function answeredIn(steps: readonly Steps[]): ReadonlySet<unknown> {
  return new Set(steps.flatMap(({ parts }) => parts.flatMap(answeredUse)));
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
