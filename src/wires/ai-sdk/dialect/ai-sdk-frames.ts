import { contextTokens, type EventOf } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { JsonObject } from '../../../platform/json.js';
import { retryAdvice } from '../../../platform/retry-advice.js';

/** Ids of one answer on this wire. */
export interface AiSdkIds {
  sessionId: string;
  turnId: string;
  /** Id of the message, which every segment of the turn extends. */
  messageId: string;
}

/** Metadata of the message. The package merges later values into earlier ones. */
export type AiSdkMetadata = Record<string, unknown>;

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** A JSON value of the server's, under its name, for what the protocol has no word for. */
export type ProviderMetadata = { turnpike: Record<string, unknown> };

/**
 * A frame of the UI message stream, version 1, as far as this server sends it. The fields are those
 * that every release of the package's major 6 takes: its first ones refuse fields that they do not
 * know.
 */
export type AiSdkChunk =
  | { type: 'start'; messageId: string; messageMetadata: AiSdkMetadata }
  | { type: 'message-metadata'; messageMetadata: AiSdkMetadata }
  | { type: 'start-step' | 'finish-step' }
  /** The package keeps no id of a text: the metadata has it, so that `discarded` can name it. */
  | { type: 'text-start' | 'reasoning-start'; id: string; providerMetadata: ProviderMetadata }
  | { type: 'text-end' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | {
      type: 'tool-input-start';
      toolCallId: string;
      toolName: string;
      providerExecuted?: boolean;
      dynamic?: true;
    }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available';
      toolCallId: string;
      toolName: string;
      input: unknown;
      providerExecuted?: boolean;
      dynamic?: true;
    }
  | { type: 'tool-approval-request'; toolCallId: string; approvalId: string }
  | {
      type: 'tool-output-available';
      toolCallId: string;
      output: unknown;
      providerExecuted?: true;
      dynamic?: true;
    }
  | {
      type: 'tool-output-error';
      toolCallId: string;
      errorText: string;
      providerExecuted?: true;
      dynamic?: true;
    }
  | { type: 'tool-output-denied'; toolCallId: string }
  | {
      type: 'source-url';
      sourceId: string;
      url: string;
      title?: string;
      providerMetadata: ProviderMetadata;
    }
  | {
      type: 'source-document';
      sourceId: string;
      mediaType: string;
      title: string;
      providerMetadata: ProviderMetadata;
    }
  | { type: `data-${string}`; id?: string; data: object; transient?: true }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason: string }
  | { type: 'finish'; finishReason: FinishReason; messageMetadata: AiSdkMetadata };

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
  { usage }: EventOf<'step.ended'>,
  window: number | undefined,
): AiSdkChunk[] {
  const tokens = contextTokens(usage);
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
export function describeQuestion(
  toolCallId: string,
  { approvalId: id, kind, reason, expiresAt, onTimeout, ...of }: EventOf<'approval.requested'>,
): AiSdkChunk {
  const { awaits, question } = of;
  const about = { kind, reason, expiresAt, onTimeout, awaits, question };
  const data = { status: 'pending', toolCallId, ...about };
  return { type: 'data-approval', id, data };
}

/** Replaces the question's part. */
export function describeDecision(
  toolCallId: string,
  { approvalId: id, decision, by, message, input }: EventOf<'approval.resolved'>,
): AiSdkChunk {
  const data = { status: 'resolved', toolCallId, decision, by, message, input };
  return { type: 'data-approval', id, data };
}

type SourceChunk = Extract<AiSdkChunk, { type: 'source-url' | 'source-document' }>;

/** @param number of the source among the parts of its step. */
export function citeSource({ step, source }: EventOf<'source.cited'>, number: number): SourceChunk {
  const sourceId = `source-${step}-${number}`;
  const { type, title, url, citedText, location } = source;
  const providerMetadata = { turnpike: { type, citedText, location } };
  const name = title === '' ? (url ?? 'Source') : title;
  if (url !== undefined && /^https?:\/\//i.test(url)) {
    return { type: 'source-url', sourceId, url, title: name, providerMetadata };
  }
  // The document's media type is not known; the protocol requires one.
  const mediaType = 'text/plain';
  return { type: 'source-document', sourceId, mediaType, title: name, providerMetadata };
}

/** The last chunks of a turn. */
export function describeOutcome(
  failure: EventOf<'turn.failed'> | undefined,
  { outcome, reason, usage, durationMs }: EventOf<'turn.ended'>,
): AiSdkChunk[] {
  const messageMetadata: AiSdkMetadata = { outcome, reason, usage, durationMs, waitsFor: [] };
  switch (outcome) {
    case 'completed':
    case 'limited': {
      const finishReason = finishReasons[reason] ?? (outcome === 'completed' ? 'stop' : 'other');
      return [{ type: 'finish', finishReason, messageMetadata }];
    }
    case 'interrupted':
      return [
        { type: 'message-metadata', messageMetadata },
        { type: 'abort', reason },
      ];
    case 'failed': {
      const errorText = failure?.message ?? `The turn failed: ${reason}.`;
      const { errorType: code = reason, status = 500 } = failure ?? {};
      const error = { code, status, ...retryAdvice(failure ?? {}) };
      return [
        // Sent before the error, which has no field for details and at which some clients stop.
        { type: 'message-metadata', messageMetadata: { ...messageMetadata, error } },
        { type: 'error', errorText },
        { type: 'finish', finishReason: 'error', messageMetadata },
      ];
    }
    default:
      return assertNever(outcome);
  }
}

const finishReasons: Record<string, FinishReason | undefined> = {
  max_tokens: 'length',
  context_window: 'length',
  refusal: 'content-filter',
};
