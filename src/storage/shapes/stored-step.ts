import type { JsonObject } from '../../platform/json.js';

/** Tokens as the provider reported them. Cached input is not part of `inputTokens`. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The parts of `cacheWriteTokens` by their TTL. Absent where the provider does not report it. */
  cacheWrite5mTokens?: number;
  cacheWrite1hTokens?: number;
  /** The part of `outputTokens` that is thinking. Absent where the provider does not report it. */
  thinkingTokens?: number;
  /**
   * Tokens that the step or turn added to its conversation, which `token_budget` counts: messages,
   * results and notices, estimated, and `outputTokens`; of what an MCP server asked the model, all tokens. Absent in
   * other usage of no step.
   */
  addedTokens?: number;
  /** US dollars, by the price at that time. Absent where no price was known. */
  costUsd?: number;
  /** Web searches by the provider, each for a fee. Absent: none. */
  webSearches?: number;
}

export const stepStopReasons = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'pause_turn',
  'refusal',
  'stop_sequence',
  'context_window',
  'interrupted',
  'failed',
] as const;
export type StepStopReason = (typeof stepStopReasons)[number];

/** The outcome of a tool call, as readers see it. */
export const toolStatuses = ['success', 'error', 'denied', 'unknown'] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/**
 * A file as accepted with the turn. Its bytes are in the blob store under their hash, so that the
 * provider gets the bytes that were checked.
 */
export interface AttachmentRef {
  /** The last part of the path, or the sender's name for the file. */
  name: string;
  /** The absolute path that the file was loaded from; absent for an upload. */
  path?: string;
  mimeType: string;
  /** Size as stored, in bytes. */
  size: number;
  /** Hash of the stored bytes, in lower-case hex. */
  sha256: string;
  /** Index among the turn's files in the order sent, from 0; absent for a file that a tool returned. */
  index?: number;
  /** Conversion that made the file fit for the model, such as `turned upright`; absent: none. */
  changed?: string;
}

/** A file of a tool's output, as people are shown it. */
export interface OutputFile {
  /** What `attachments` of a later turn may name. */
  id: string;
  name: string;
  /** As the bytes are; of a tool's own statement only where they do not tell. */
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Where its bytes are, below the server’s address. */
  url: string;
}

/** A stored part of a user message: a file by reference, never by its bytes. */
export type StoredPart = { type: 'text'; text: string } | { type: 'file'; file: AttachmentRef };

/** What only the maker of a part can read, by the maker's name: it goes back to that one, unchanged. */
export type PartMarks = Readonly<Record<string, JsonObject>>;

/**
 * A canonical block of an assistant message. `opaque` is the provider's own block, kept byte for
 * byte. `meta` is of makers other than Anthropic; thinking of theirs has it always, also where it is empty.
 */
export type AssistantPart =
  | { type: 'text'; text: string; citations?: JsonObject[]; meta?: PartMarks }
  | { type: 'thinking'; thinking: string; signature: string; meta?: PartMarks }
  | { type: 'redacted_thinking'; data: string }
  | {
      type: 'tool_use';
      id: string;
      name: string;
      input: JsonObject;
      /**
       * Hash of the tool as it was when the model called it: see `RegisteredTool`. Absent: one of the server's own or of an
       * MCP server, or a step that was stored before there were any.
       */
      digest?: string;
      /** Whether the model called it by `use_tool`; absent: by its own name. Later requests show the call as it was. */
      isWrapped?: true;
      meta?: PartMarks;
    }
  | { type: 'opaque'; block: JsonObject };

/** The fields of an event that the archive's queries use; its `type` decides the rest (`TurnEvent`). */
export interface ArchivedEvent {
  type: string;
  attempt: number;
  seq: number;
}

export const todoStatuses = ['pending', 'in_progress', 'completed'] as const;

/** An item of a session's list. */
export interface Todo {
  id: string;
  content: string;
  status: (typeof todoStatuses)[number];
}
