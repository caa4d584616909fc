/**
 * The part of the AI SDK's provider specification, version 4, that is used: what a package gets, and what it gives. By
 * shape, as each package has its own copy of the types (`@ai-sdk/provider`, language-model/v4).
 */

/** By the package's own name for itself. */
export type Metadata = Record<string, Record<string, unknown>>;

type WithOptions = { providerOptions?: Metadata };

export interface FilePart {
  type: 'file';
  mediaType: string;
  filename?: string;
  data: { type: 'data'; data: string };
}

export type UserContent = { type: 'text'; text: string } | FilePart;

export type AssistantContent = WithOptions &
  (
    | { type: 'text'; text: string }
    | { type: 'reasoning'; text: string }
    | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }
  );

export interface ToolResultContent {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output:
    | { type: 'text' | 'error-text'; value: string }
    | { type: 'content'; value: UserContent[] };
}

export type PromptMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: UserContent[] }
  | { role: 'assistant'; content: AssistantContent[] }
  | { role: 'tool'; content: ToolResultContent[] };

export interface CallOptions {
  prompt: PromptMessage[];
  maxOutputTokens: number;
  stopSequences?: string[];
  tools?: { type: 'function'; name: string; description: string; inputSchema: object }[];
  toolChoice?: { type: 'auto' | 'none' };
  responseFormat?: { type: 'json'; schema: object; name: string };
  reasoning?: 'none' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  providerOptions?: Metadata;
  abortSignal?: AbortSignal;
}

/** A part of a stream, of a kind that is not known before it is read. */
export type StreamPart = Readonly<Record<string, unknown>> & { type: string };

export interface LanguageModel {
  specificationVersion: string;
  doStream(options: CallOptions): PromiseLike<{ stream: ReadableStream<StreamPart> }>;
}
