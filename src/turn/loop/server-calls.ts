import type { TurnEventBody } from '../../events/turn-event.js';
import { serverCallOf, serverResultOf } from '../../provider/anthropic/wire-blocks.js';
import type { ServerToolCall, ServerToolResult } from '../../provider/model-types.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { Attempt, Progress } from '../state/attempt.js';

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
