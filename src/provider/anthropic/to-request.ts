import type Anthropic from '@anthropic-ai/sdk';
import { assertNever } from '../../platform/assert-never.js';
import { markCache } from './mark-cache.js';
import type {
  AssistantPart,
  ModelMessage,
  ModelRequest,
  ToolSpec,
  UserPart,
} from '../model-types.js';
import { requestProfiles, type RequestProfile } from '../request-profile.js';
import type { ThinkingPlan } from '../models/plan-thinking.js';
import { toServerTool } from './to-server-tool.js';

type Params = Anthropic.MessageCreateParamsStreaming;
type Block = Anthropic.ContentBlockParam;
type Message = { role: 'user' | 'assistant'; content: Block[] } | Anthropic.SystemMessageParam;
type Citation = Anthropic.TextCitationParam;

/**
 * The body of one model call. Equal requests give equal bytes (keys are written in one fixed order
 * and what came from the model goes back as it came), which is what prompt caching and the check of
 * a thinking signature need.
 *
 * Two rules of the API are kept here so that nobody else has to know them: a blank text block is
 * refused, so it is left out, and its message with it where nothing else is in it; tool results
 * come first in their message. The marks for the cache are no part of what was sent.
 */
export function toRequest(
  request: ModelRequest,
  profile: RequestProfile = requestProfiles.anthropic,
): Params {
  const { serverTools = [] } = request;
  const tools = [...request.tools.map(toTool), ...serverTools.map(toServerTool)];
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...toThinking(request, profile),
    ...(request.system.trim() === '' ? {} : { system: toSystem(request.system) }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(request.toolChoice === undefined || tools.length === 0 || !profile.hasToolChoiceNone
      ? {}
      : { tool_choice: { type: request.toolChoice } }),
    messages: markCache(
      request.messages
        .map((message) => toMessage(message, request.citations === true))
        .filter((message) => message.content.length > 0),
    ),
  };
}

/** The same for a count of its input: what concerns the reply alone is left out. */
export function toCountRequest(request: ModelRequest): Anthropic.MessageCountTokensParams {
  const { max_tokens: _maxTokens, stream: _stream, ...params } = toRequest(request);
  return params;
}

/** What no step and no turn changes ends here: it is read from the cache whatever comes after. */
function toSystem(text: string): Anthropic.TextBlockParam[] {
  return [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
}

function toTool(tool: ToolSpec): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.inputSchema, type: 'object' },
  };
}

/** A budget of thinking that leaves nothing for the reply is refused: such a call has no thinking. */
function toThinking(
  request: ModelRequest,
  { hasEffort }: RequestProfile,
): Pick<Params, 'thinking' | 'output_config'> {
  const { thinking, effort } = request.thinking ?? {};
  const isTooMuch = thinking?.type === 'enabled' && thinking.budget_tokens >= request.maxTokens;
  return {
    ...(thinking === undefined || isTooMuch ? {} : hasEffort ? { thinking } : plain(thinking)),
    ...(effort === undefined || !hasEffort ? {} : { output_config: { effort } }),
  };
}

/** Thinking as it was at first: a kind, and a budget where it has one. */
function plain(thinking: NonNullable<ThinkingPlan['thinking']>): Pick<Params, 'thinking'> {
  if (thinking.type !== 'enabled') return {};
  return { thinking: { type: 'enabled', budget_tokens: thinking.budget_tokens } };
}

function toMessage(message: ModelMessage, cites: boolean): Message {
  if (message.role === 'system') {
    return { role: 'system', content: [{ type: 'text', text: message.text }] };
  }
  if (message.role === 'assistant') {
    return { role: 'assistant', content: message.parts.filter(hasContent).map(toAssistantBlock) };
  }
  const parts = message.parts.filter(hasContent);
  const results = parts.filter((part) => part.type === 'tool_result');
  const others = parts.filter((part) => part.type !== 'tool_result');
  return { role: 'user', content: [...results, ...others].map((part) => toUserBlock(part, cites)) };
}

function hasContent(part: UserPart | AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

/** @param cites of all documents or of none: the API takes no mixture. */
function toUserBlock(part: UserPart, cites: boolean): Block {
  const citations = cites ? { citations: { enabled: true } } : {};
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return {
        type: 'image',
        source: {
          type: 'base64',
          // The resolver lets only the four kinds through that the API takes.
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
      return {
        type: 'document',
        title: part.title,
        source: { type: 'text', media_type: 'text/plain', data: part.text },
        ...citations,
      };
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: part.callId,
        content: part.output,
        is_error: part.isError,
      };
    default:
      return assertNever(part);
  }
}

/** What the API said goes back as it came, of whatever kind it is: it knows its own words. */
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
      return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
    case 'opaque':
      return sentBlock(part.block);
    default:
      return assertNever(part);
  }
}
