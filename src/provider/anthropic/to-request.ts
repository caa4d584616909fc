import type Anthropic from '@anthropic-ai/sdk';
import { assertNever } from '../../platform/assert-never.js';
import { compact } from '../../platform/compact.js';
import { hasContent, inOrder, sentParts } from '../named-blocks.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ModelMessage, ModelRequest, UserPart } from '../model-types.js';
import type { ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import { requestProfiles, type RequestProfile } from './request-profile.js';
import { searchTool, wrapCall } from './tool-search.js';
import type { ThinkingPlan } from '../thinking.js';

type Params = Anthropic.MessageCreateParamsStreaming;
type Block = Anthropic.ContentBlockParam;
type Message = { role: 'user' | 'assistant'; content: Block[] } | Anthropic.SystemMessageParam;
type ResultBlock = Exclude<NonNullable<Anthropic.ToolResultBlockParam['content']>, string>[number];
type Citation = Anthropic.TextCitationParam;

/**
 * The body of a model call. Equal requests give equal bytes (keys have a fixed order, and blocks of
 * the model go back unchanged), which prompt caching and the check of thinking signatures need.
 *
 * Two rules of the API are kept here: a blank text block is refused, so it is left out, and its message
 * where it has nothing else; tool results come first in their message.
 */
export function toRequest(
  request: ModelRequest,
  profile: RequestProfile = requestProfiles.anthropic,
): Params {
  const messages = sentMessages(request, profile).map(({ message }) => message);
  return { ...toHead(request, profile), messages: markCache(messages, markOf(request, profile)) };
}

/** The JSON text of `toRequest`. */
export function toBody(
  request: ModelRequest,
  profile: RequestProfile = requestProfiles.anthropic,
): string {
  const sent = sentMessages(request, profile);
  const marked = markCache(
    sent.map(({ message }) => message),
    markOf(request, profile),
  );
  const messages = sent.map(({ message, json }, index) =>
    marked[index] === message ? json() : JSON.stringify(marked[index]),
  );
  const head = JSON.stringify(toHead(request, profile)).slice(0, -1);
  const [first = '', ...others] = messages;
  const last = others.pop();
  // Joined once: a text that is put together piece by piece is copied as a whole when it is read.
  const begin = `${head},"messages":[${first}`;
  return last === undefined ? `${begin}]}` : [begin, ...others, `${last}]}`].join();
}

/** The fields of a request before its messages. */
export function toHead(
  request: ModelRequest,
  profile: RequestProfile = requestProfiles.anthropic,
): Omit<Params, 'messages'> {
  const tools = toTools(request, profile);
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...toThinking(request, profile),
    ...toOutputConfig(request, profile),
    ...compact({
      system:
        request.system.trim() === ''
          ? undefined
          : toSystem(request.system, markOf(request, profile)),
      tools: tools.length === 0 ? undefined : tools,
      tool_choice: toToolChoice(request, profile),
      stop_sequences: request.stopSequences && [...request.stopSequences],
    }),
  };
}

/** A message as it is sent. */
interface Sent {
  message: Message;
  json(): string;
}

/** Messages as they were sent before: the requests of a conversation have most of their messages in common. */
const sentBefore = {
  cited: new WeakMap<ModelMessage, Sent>(),
  plain: new WeakMap<ModelMessage, Sent>(),
};

function sentMessages(request: ModelRequest, { takesDocuments }: RequestProfile): Sent[] {
  const { messages, toolSearch } = request;
  const documents: DocumentForm = !takesDocuments
    ? 'text'
    : request.citations === true
      ? 'cited'
      : 'plain';
  const known = documents === 'cited' ? sentBefore.cited : sentBefore.plain;
  return messages
    .map((given) => {
      const message = toolSearch === 'own' ? withWrapped(given) : given;
      const before = known.get(message);
      if (before !== undefined) return before;
      const sent = openSent(toMessage(message, documents));
      if (!hasFiles(message)) known.set(message, sent);
      return sent;
    })
    .filter(({ message }) => message.content.length > 0);
}

/** A message with its calls as the model made them, whatever tools are searched for now. */
function withWrapped(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant') return message;
  const isWrapped = (part: AssistantPart): boolean =>
    part.type === 'tool_use' && part.isWrapped === true;
  if (!message.parts.some(isWrapped)) return message;
  const parts = message.parts.map((part) =>
    part.type === 'tool_use' && part.isWrapped === true
      ? { ...part, ...wrapCall(part.name, part.input) }
      : part,
  );
  return { ...message, parts };
}

/** Files are long: their JSON is not kept. */
function hasFiles(message: ModelMessage): boolean {
  return (
    message.role === 'user' &&
    message.parts.some((part) =>
      part.type === 'tool_result' ? part.files !== undefined : part.type !== 'text',
    )
  );
}

function openSent(message: Message): Sent {
  let text: string | undefined;
  return { message, json: () => (text ??= JSON.stringify(message)) };
}

/** The body of a count of input tokens: a model call without the fields of the reply. */
export function toCountRequest(
  request: ModelRequest,
  profile?: RequestProfile,
): Anthropic.MessageCountTokensParams {
  const { max_tokens: _maxTokens, stream: _stream, ...params } = toRequest(request, profile);
  return params;
}

/** `tool_choice: none`, or one call at a time, where there are tools and the profile has it. */
function toToolChoice(
  { toolChoice, tools, serverTools = [] }: ModelRequest,
  { hasToolChoiceNone }: RequestProfile,
): Anthropic.ToolChoiceNone | Anthropic.ToolChoiceAuto | undefined {
  const hasTools = tools.length + serverTools.length > 0;
  if (toolChoice === undefined || !hasTools || !hasToolChoiceNone) return undefined;
  return toolChoice === 'none'
    ? { type: 'none' }
    : { type: 'auto', disable_parallel_tool_use: true };
}

/** The system prompt, marked as the end of what no turn changes, for the cache. */
function toSystem(text: string, mark: CacheMark): Anthropic.TextBlockParam[] {
  return [{ type: 'text', text, cache_control: mark }];
}

/** A mark up to which the provider's cache keeps a request. Its five minutes are the default everywhere. */
type CacheMark = Anthropic.CacheControlEphemeral;

function markOf({ cacheFor }: ModelRequest, { hasEffort }: RequestProfile): CacheMark {
  return cacheFor !== undefined && hasEffort
    ? { type: 'ephemeral', ttl: cacheFor }
    : { type: 'ephemeral' };
}

/**
 * The tools of a request. Deferred ones come last: one more changes nothing before it. In a search of ours they are
 * not sent.
 */
function toTools(
  { tools, serverTools = [], toolSearch }: ModelRequest,
  { hasTypedTools }: RequestProfile,
): Anthropic.ToolUnion[] {
  const toTool = hasTypedTools ? toTypedTool : toPlainTool;
  const shown = tools.filter(({ deferred }) => deferred !== true).map(toTool);
  const all = [...shown, ...serverTools.map(toServerTool)];
  if (toolSearch !== 'provider') return all;
  const deferred = tools
    .filter((tool) => tool.deferred === true)
    .map((tool) => ({ ...toTool(tool), defer_loading: true }));
  return [...all, searchTool, ...deferred];
}

function toTypedTool(tool: ToolSpec): Anthropic.ToolUnion {
  return tool.definedAs === undefined
    ? toPlainTool(tool)
    : { type: tool.definedAs, name: 'memory' };
}

function toPlainTool(tool: ToolSpec): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.inputSchema, type: 'object' },
  };
}

/**
 * A tool that the API runs, in the newest version of the SDK's types. Only the model itself calls it:
 * results of calls from within code come neither to the conversation nor to a reader.
 */
function toServerTool({ name, maxUses }: ServerTool): Anthropic.ToolUnion {
  const limit = compact({ max_uses: maxUses });
  switch (name) {
    case 'web_search':
      return { type: 'web_search_20260318', name, allowed_callers: ['direct'], ...limit };
    case 'web_fetch':
      return {
        type: 'web_fetch_20260318',
        name,
        allowed_callers: ['direct'],
        // Searches always have citations, fetched pages only on request.
        citations: { enabled: true },
        ...limit,
      };
    case 'code_execution':
      return { type: 'code_execution_20260521', name };
    default:
      return assertNever(name);
  }
}

/** Leaves thinking out where its budget leaves nothing for the reply, which the API refuses. */
function toThinking(
  request: ModelRequest,
  { hasEffort }: RequestProfile,
): Pick<Params, 'thinking'> {
  const { thinking } = request.thinking ?? {};
  const isTooMuch = thinking?.type === 'enabled' && thinking.budget_tokens >= request.maxTokens;
  return thinking === undefined || isTooMuch ? {} : hasEffort ? { thinking } : plain(thinking);
}

function toOutputConfig(
  { thinking, outputSchema: schema }: ModelRequest,
  { hasEffort }: RequestProfile,
): Pick<Params, 'output_config'> {
  const effort = hasEffort ? thinking?.effort : undefined;
  const format = schema === undefined ? undefined : { type: 'json_schema' as const, schema };
  if (effort === undefined && format === undefined) return {};
  return { output_config: compact({ effort, format }) };
}

/** The thinking of the first version of the API: `enabled` with a budget, or `disabled`. */
function plain(thinking: NonNullable<ThinkingPlan['thinking']>): Pick<Params, 'thinking'> {
  if (thinking.type === 'disabled') return { thinking };
  if (thinking.type !== 'enabled') return {};
  return { thinking: { type: 'enabled', budget_tokens: thinking.budget_tokens } };
}

/** How documents of text are sent: as blocks, whose passages the model names or not, or as text below their titles. */
type DocumentForm = 'cited' | 'plain' | 'text';

function toMessage(message: ModelMessage, documents: DocumentForm): Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: [{ type: 'text', text: message.text }] };
    case 'assistant':
      return { role: 'assistant', content: sentParts(message.parts).map(toAssistantBlock) };
    case 'user': {
      const content = inOrder(message.parts).map((part) => toUserBlock(part, documents));
      return { role: 'user', content };
    }
  }
}

function toUserBlock(part: UserPart, documents: DocumentForm): Block {
  const citations = documents === 'cited' ? { citations: { enabled: true } } : {};
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return {
        type: 'image',
        source: {
          type: 'base64',
          // Attachments are checked to be of the four types that the API takes.
          media_type: part.mediaType as Anthropic.Base64ImageSource['media_type'],
          data: part.base64,
        },
      };
    case 'pdf':
      return {
        type: 'document',
        title: part.title,
        source: { type: 'base64', media_type: 'application/pdf', data: part.base64 },
        ...citations,
      };
    case 'document':
      if (documents === 'text') return { type: 'text', text: `${part.title}\n\n${part.text}` };
      return {
        type: 'document',
        title: part.title,
        source: { type: 'text', media_type: 'text/plain', data: part.text },
        ...citations,
      };
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: callIdFor(part.callId),
        content:
          part.files === undefined ? part.output : toResult(part.output, part.files, documents),
        is_error: part.isError,
      };
    default:
      return assertNever(part);
  }
}

/** The blocks of a result with files: those that a user's message may have, but results. */
function toResult(
  output: string,
  files: readonly UserPart[],
  documents: DocumentForm,
): ResultBlock[] {
  const parts: UserPart[] = [{ type: 'text', text: output }, ...files];
  return parts.filter(hasContent).map((part) => toUserBlock(part, documents) as ResultBlock);
}

/** The id of a call as the API takes it: those of other makers may have other characters, and are always changed alike. */
function callIdFor(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_');
}

/** Blocks and citations of the API go back unchanged, unknown types as well. */
const sentBlock = (block: object): Block => block as Block;
const sentCitation = (citation: object): Citation => citation as Citation;

function toAssistantBlock(part: AssistantPart): Block {
  switch (part.type) {
    case 'text':
      return part.citations === undefined
        ? { type: 'text', text: part.text }
        : {
            type: 'text',
            text: part.text,
            citations: part.citations.map(sentCitation),
          };
    case 'thinking':
      return { type: 'thinking', thinking: part.thinking, signature: part.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: part.data };
    case 'tool_use':
      return { type: 'tool_use', id: callIdFor(part.id), name: part.name, input: part.input };
    case 'opaque':
      return sentBlock(part.block);
    default:
      return assertNever(part);
  }
}

type SentMessage = Anthropic.MessageParam | Anthropic.SystemMessageParam;

/** Most marks on messages: a request may have four, and the system prompt has one. */
const MOST = 3;

/**
 * Adds marks for the provider's cache: at the end of the messages, for the next call, and before the
 * last replies, where earlier calls ended. Without these, a step of more blocks than the cache looks
 * back over would not read the entry that the call before it wrote. Pure.
 */
export function markCache(messages: readonly SentMessage[], mark: CacheMark): SentMessage[] {
  const marked = [...messages];
  let left = MOST;
  for (let index = messages.length - 1; index >= 0 && left > 0; index -= 1) {
    const [message, next] = [messages[index], messages[index + 1]];
    if (message === undefined || message.role === 'assistant') continue;
    if (next !== undefined && next.role !== 'assistant') continue;
    marked[index] = withMark(message, mark);
    left -= 1;
  }
  return marked;
}

function withMark(message: SentMessage, mark: CacheMark): SentMessage {
  if (typeof message.content === 'string') return message;
  const last = message.content.length - 1;
  const content = message.content.map((block, index) =>
    index === last ? { ...block, cache_control: mark } : block,
  );
  return { ...message, content } as SentMessage;
}
