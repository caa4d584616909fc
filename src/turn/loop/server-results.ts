import type { AssistantPart } from '../../storage/shapes/stored-part.js';
import { serverResultOf } from '../../provider/anthropic/server-block.js';
import type { ServerToolResult } from '../../provider/server-tools.js';

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
