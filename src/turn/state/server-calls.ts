import type { TurnEventBody } from '../../events/turn-event.js';
import { serverCallOf, serverResultOf } from '../../provider/face.js';
import type { ServerToolCall, ServerToolResult } from '../../provider/model-types.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { Attempt, Progress } from './attempt.js';
import { isPlainObject } from '../../platform/json.js';

/** The provider began a call. */
export function serverToolStarted(run: Attempt, { callId, name, input }: ServerToolCall): void {
  run.progress.serverStarts.set(callId, run.clock.now());
  run.writer.emit({ type: 'tool.started', callId, name, input });
}

/** @param output as it is shown. */
export function serverToolEnded(run: Attempt, result: ServerToolResult, output: string): void {
  const { callId, name, status } = result;
  // A call that an earlier attempt saw begin has no known duration.
  const startedAt = run.progress.serverStarts.get(callId) ?? run.clock.now();
  const durationMs = run.clock.now() - startedAt;
  run.writer.emit({ type: 'tool.ended', callId, name, status, output, durationMs });
}

/** Ends the provider's calls that had no result when the turn ended. */
export function abandonedServerCalls({ steps, draft }: Progress): TurnEventBody[] {
  const replies = draft === undefined ? steps : [...steps, draft];
  const results = serverResults(replies);
  return replies
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      const call = part.type === 'opaque' ? serverCallOf(part.block) : undefined;
      if (call === undefined || results.has(call.callId)) return [];
      const { callId, name } = call;
      const output = 'the turn ended before the provider gave its result';
      return [{ type: 'tool.ended', callId, name, status: 'unknown', output, durationMs: 0 }];
    });
}

/**
 * Results of the provider's own tools in a turn, by call id: from the step of the call, or a later
 * one. Pure.
 */
export function serverResults(
  steps: readonly { parts: readonly AssistantPart[] }[],
): ReadonlyMap<string, ServerToolResult> {
  const results = steps
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'opaque' ? (serverResultOf(part.block) ?? []) : []));
  return new Map(results.map((result) => [result.callId, result]));
}

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
