import { assertNever, compact, type JsonObject, retryAdvice } from '../../../platform/face.js';
import { contextTokens, type EventOf } from '../../../events/face.js';
import type { Announcement } from '../../framing/face.js';

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

/** A source that a text cites. */
export interface Citation {
  source:
    | { type: 'source'; sourceType: 'url'; id: string; url: string; title: string }
    | { type: 'source'; sourceType: 'document'; id: string; mediaType: string; title: string };
  citedText?: string;
}

/**
 * A frame of the UI message stream, version 1, as far as this server sends it. Clients of major 6 get the fields
 * that every release of it takes, as its first ones refuse fields that they do not know.
 */
export type AiSdkChunk =
  | AiSdkChunkOf7
  | { type: 'start'; messageId: string; messageMetadata: AiSdkMetadata }
  | { type: 'message-metadata'; messageMetadata: AiSdkMetadata }
  | { type: 'start-step' | 'finish-step' }
  /** The package keeps no id of a text: the metadata has it, so that `discarded` can name it. */
  | { type: 'text-start' | 'reasoning-start'; id: string; providerMetadata: ProviderMetadata }
  /** Major 7 alone is sent citations. */
  | { type: 'text-end'; id: string; citations?: readonly Citation[] }
  | { type: 'reasoning-end'; id: string }
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
  /** Major 7 alone is sent a reason, and that nobody is asked: the answer follows. */
  | {
      type: 'tool-approval-request';
      toolCallId: string;
      approvalId: string;
      reason?: string;
      isAutomatic?: true;
    }
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
      title: string;
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

/** Frames that major 6 does not know. */
type AiSdkChunkOf7 =
  /** Deletes the parts after the last `start-step`. */
  | { type: 'reset-step' }
  /** An answer that the client did not give. Clients throw without its request. */
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  /** Releases before 7.0.163 do not know it. */
  | { type: 'steering-message'; id: string; parts: readonly { type: 'text'; text: string }[] };

/** What is said of the turn. */
export function announce(
  event: Exclude<Announcement, { type: 'turn.queued' | 'message.joined' }>,
): AiSdkChunk {
  const id = `${event.attempt}.${event.seq}`;
  switch (event.type) {
    case 'turn.recovering': {
      const { attempt, reason } = event;
      return { type: 'data-recovering', id, data: { attempt, reason } };
    }
    case 'attachment.rejected': {
      const { name, reason, index } = event;
      const data = { name, reason, ...(index === undefined ? {} : { index }) };
      return { type: 'data-attachment-rejected', id, data };
    }
    case 'notice.posted': {
      const { kind, level, text, metadata } = event;
      return { type: 'data-notice', id, data: { kind, level, text, metadata } };
    }
    case 'tool.progress': {
      const { callId: toolCallId, note, elapsedMs } = event;
      return {
        type: 'data-tool-progress',
        data: { toolCallId, note, elapsedMs },
        transient: true,
      };
    }
    default:
      return assertNever(event);
  }
}

/** A message that was steered into the turn. */
export function describeJoin(event: EventOf<'message.joined'>): AiSdkChunk {
  const { messageId, afterStep, text } = event;
  return { type: 'data-joined', id: messageId, data: { messageId, afterStep, text } };
}

/** The same in the protocol's own words. */
export function describeSteering({ messageId, text }: EventOf<'message.joined'>): AiSdkChunk {
  return { type: 'steering-message', id: messageId, parts: [{ type: 'text', text }] };
}

/** Queue position; 0: the turn has left the queue. */
export function describeQueue(
  position: number,
  reason?: EventOf<'turn.queued'>['reason'],
): AiSdkChunk {
  return { type: 'data-queue', id: 'queue', data: compact({ position, reason }) };
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

/** A source as a text that cites it has it. */
export function describeCitation(
  { sourceId: id, title, ...chunk }: SourceChunk,
  { source: { citedText } }: EventOf<'source.cited'>,
): Citation {
  const cited = citedText === undefined ? {} : { citedText };
  if (chunk.type === 'source-url') {
    const { url } = chunk;
    return { source: { type: 'source', sourceType: 'url', id, url, title }, ...cited };
  }
  const { mediaType } = chunk;
  return { source: { type: 'source', sourceType: 'document', id, mediaType, title }, ...cited };
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
