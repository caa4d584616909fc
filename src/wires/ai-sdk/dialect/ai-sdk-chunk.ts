import type { TurnEvent } from '../../../events/turn-event.js';

export type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;

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
