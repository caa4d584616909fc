import type { JsonObject } from '../../../platform/json.js';
import type { AiSdkChunk, Of } from './ai-sdk-chunk.js';

/** Queue position; 0: the turn has left the queue. */
export function describeQueue(position: number): AiSdkChunk {
  return { type: 'data-queue', id: 'queue', data: { position } };
}

/**
 * Tokens of the conversation as the model last saw it, its reply included.
 *
 * @param window of the model, in tokens.
 */
export function describeContext(
  { usage }: Of<'step.ended'>,
  window: number | undefined,
): AiSdkChunk[] {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  // A call that was cut before the provider reported anything.
  if (tokens === 0) return [];
  return [{ type: 'data-context', id: 'context', data: { tokens, maxTokens: window } }];
}

/** The turn's object: one part, which grows until it is final. */
export function describeOutput(data: {
  status: 'partial' | 'final';
  output: JsonObject;
}): AiSdkChunk {
  return { type: 'data-output', id: 'output', data };
}

/** Details of an approval that the protocol's request has no field for. */
export function describeQuestion(event: Of<'approval.requested'>): AiSdkChunk {
  const { approvalId: id, callId: toolCallId, kind, reason, expiresAt, onTimeout } = event;
  const data = { status: 'pending', toolCallId, kind, reason, expiresAt, onTimeout };
  return { type: 'data-approval', id, data };
}

/** Replaces the question's part. */
export function describeDecision(event: Of<'approval.resolved'>): AiSdkChunk {
  const { approvalId: id, callId: toolCallId, decision, by, message, input } = event;
  const data = { status: 'resolved', toolCallId, decision, by, message, input };
  return { type: 'data-approval', id, data };
}

export function describeProgress(event: Of<'tool.progress'>): AiSdkChunk {
  const { callId: toolCallId, note, elapsedMs } = event;
  const data = { toolCallId, note, elapsedMs };
  return { type: 'data-tool-progress', data, transient: true };
}
