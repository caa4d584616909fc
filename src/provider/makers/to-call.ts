import { createHash } from 'node:crypto';
import { compact } from '../../platform/compact.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import { assertNever } from '../../platform/assert-never.js';
import { wrapCall } from '../anthropic/tool-search.js';
import type { ModelMessage, ModelRequest, UserPart } from '../model-types.js';
import { hasContent, inOrder } from '../named-blocks.js';
import type { MakerKind } from './maker-table.js';
import type {
  AssistantContent,
  CallOptions,
  FilePart,
  Metadata,
  PromptMessage,
  ToolResultContent,
  UserContent,
} from './specification.js';

/** The maker that is called. */
export interface Caller {
  /** The maker, under which what it gave is stored. */
  name: string;
  kind: Pick<
    MakerKind,
    'mayHoldCalls' | 'takesFilesInResults' | 'callIds' | 'options' | 'cacheKey'
  >;
}

/**
 * A request as a call of a package. Equal requests give equal calls. What another maker gave and only it can read, its
 * thinking and its marks, is left out; texts and calls stay. Pure.
 */
export function toCall(request: ModelRequest, caller: Caller): CallOptions {
  const { system, messages, tools, toolChoice, outputSchema, stopSequences } = request;
  const names = toolNames(messages);
  const shown = tools.filter(({ deferred }) => deferred !== true);
  const prompt = messages.flatMap((message) => toMessages(message, { caller, names, request }));
  return {
    prompt: [
      ...(system.trim() === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...prompt,
    ],
    maxOutputTokens: request.maxTokens,
    ...compact({
      stopSequences: stopSequences && [...stopSequences],
      tools:
        shown.length === 0
          ? undefined
          : shown.map(({ name, description, inputSchema }) => ({
              type: 'function' as const,
              name,
              description,
              inputSchema: { ...inputSchema, type: 'object' },
            })),
      toolChoice: toolChoice === 'none' && shown.length > 0 ? { type: 'none' as const } : undefined,
      responseFormat: outputSchema && {
        type: 'json' as const,
        schema: outputSchema,
        name: 'output',
      },
      reasoning: reasoningOf(request),
      providerOptions: optionsOf(request, caller),
    }),
  };
}

function reasoningOf({ thinking: plan }: ModelRequest): CallOptions['reasoning'] {
  if (plan?.thinking?.type === 'disabled') return 'none';
  return plan?.effort;
}

function optionsOf(request: ModelRequest, { name, kind }: Caller): Metadata | undefined {
  const { toolChoice, thinking: plan } = request;
  const thinking = plan?.thinking;
  const isShown =
    thinking !== undefined && 'display' in thinking && thinking.display === 'summarized';
  const entries = Object.entries(kind.options ?? {}).map(([key, options]) => [
    key,
    isShown && 'reasoningSummary' in options ? { ...options, reasoningSummary: 'auto' } : options,
  ]);
  const all = Object.fromEntries(entries) as Metadata;
  const one = toolChoice === 'one' && kind.mayHoldCalls ? { parallelToolCalls: false } : {};
  const key = kind.cacheKey === undefined ? {} : { [kind.cacheKey]: cacheKeyOf(request) };
  const own = { ...all[name], ...one, ...key };
  if (Object.keys(own).length === 0) return Object.keys(all).length === 0 ? undefined : all;
  return { ...all, [name]: own };
}

/** The same for all calls of a conversation: their prompts begin with the same texts. */
function cacheKeyOf({ system, messages }: ModelRequest): string {
  const [first] = messages;
  const hash = createHash('sha256').update(system);
  const texts = first?.role === 'user' ? first.parts : [];
  for (const part of texts) if (part.type === 'text') hash.update(part.text);
  return hash.digest('base64url');
}

/** The tool of each call: results name it. */
function toolNames(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool_use') : [],
  );
  return new Map(calls.map(({ id, name }) => [id, name]));
}

interface Context {
  caller: Caller;
  names: ReadonlyMap<string, string>;
  request: ModelRequest;
}

function toMessages(message: ModelMessage, context: Context): PromptMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.text }];
    case 'assistant': {
      const content = message.parts.filter(hasContent).flatMap((part) => toPart(part, context));
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'user':
      return toUserMessages(message.parts, context);
    default:
      return assertNever(message);
  }
}

/** Results come in a message of their own, before what the user says. */
function toUserMessages(parts: readonly UserPart[], context: Context): PromptMessage[] {
  const results: ToolResultContent[] = [];
  const content: UserContent[] = [];
  for (const part of inOrder(parts)) {
    if (part.type !== 'tool_result') content.push(toUserPart(part));
    else {
      results.push(toResult(part, context));
      if (context.caller.kind.takesFilesInResults || part.files === undefined) continue;
      content.push({ type: 'text', text: `Files of the result ${part.callId}:` });
      content.push(...filesOf(part.files));
    }
  }
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...(content.length === 0 ? [] : [{ role: 'user' as const, content }]),
  ];
}

type Result = Extract<UserPart, { type: 'tool_result' }>;

function toResult(
  { callId, output, isError, files }: Result,
  { caller: { kind }, names }: Context,
): ToolResultContent {
  const hasFiles = files !== undefined && kind.takesFilesInResults;
  return {
    type: 'tool-result',
    toolCallId: callIdFor(callId, kind),
    toolName: names.get(callId) ?? 'unknown',
    output: hasFiles
      ? { type: 'content', value: [{ type: 'text', text: output }, ...filesOf(files)] }
      : { type: isError ? 'error-text' : 'text', value: output },
  };
}

function filesOf(files: readonly UserPart[]): UserContent[] {
  return files
    .filter(hasContent)
    .flatMap((part) => (part.type === 'tool_result' ? [] : [toUserPart(part)]));
}

function toUserPart(part: Exclude<UserPart, Result>): UserContent {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'document':
      return { type: 'text', text: `${part.title}\n\n${part.text}` };
    case 'image':
      return fileOf(part.mediaType, part.base64);
    case 'pdf':
      return { ...fileOf('application/pdf', part.base64), filename: part.title };
    default:
      return assertNever(part);
  }
}

function fileOf(mediaType: string, data: string): FilePart {
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function toPart(part: AssistantPart, { caller, request }: Context): AssistantContent[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...marksOf(part, caller) }];
    case 'thinking':
      return part.meta?.[caller.name] === undefined
        ? []
        : [{ type: 'reasoning', text: part.thinking, ...marksOf(part, caller) }];
    case 'tool_use': {
      const isWrapped = part.isWrapped === true && request.toolSearch === 'own';
      const { name, input } = isWrapped ? wrapCall(part.name, part.input) : part;
      const toolCallId = callIdFor(part.id, caller.kind);
      return [{ type: 'tool-call', toolCallId, toolName: name, input, ...marksOf(part, caller) }];
    }
    case 'redacted_thinking':
    case 'opaque':
      return [];
    default:
      return assertNever(part);
  }
}

/** The marks that the maker itself gave with a part, and gets back byte for byte. */
function marksOf(
  { meta }: { meta?: Readonly<Record<string, object>> },
  { name }: Caller,
): { providerOptions?: Metadata } {
  const own = meta?.[name];
  if (own === undefined || Object.keys(own).length === 0) return {};
  return { providerOptions: own as Metadata };
}

/** Most characters of an id that every maker takes. */
const MOST_ID_CHARS = 64;

/** The id of a call as a maker takes it: its own, or always the same other one. Pure. */
export function callIdFor(id: string, { callIds }: Pick<MakerKind, 'callIds'>): string {
  const hash = (): string => createHash('sha256').update(id).digest('hex');
  if (callIds === 'nine') return /^[A-Za-z0-9]{9}$/.test(id) ? id : hash().slice(0, 9);
  return id.length <= MOST_ID_CHARS ? id : hash();
}
