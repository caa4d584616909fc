import * as z from 'zod';
import { WireError } from '../http/wire-error.js';
import type { RequestBlock } from '../request-types.js';
import type { WireEvent } from '../reply/reply-plan.js';
import { checkBearer, errorObject, explainIssue } from './openai-errors.js';
import {
  Conversation,
  dataFrame,
  imageOf,
  inputOf,
  jsonObject,
  messagesRequest,
  outputSchemaFields,
  parseForm,
  type MakerWire,
  type ReplyIds,
  type TakenRequest,
} from './maker-wire.js';

/**
 * Chat completions, as OpenAI has them, and Mistral, DeepSeek, Groq and local servers after it
 * ({platform.openai.com/docs/api-reference/chat}). A field that none of them documents is refused.
 */
export const chatCompletions: MakerWire = {
  checkHeaders: checkBearer,
  take: (body, path) => take(parseForm(requestForm, body, explainIssue), path),
  encoder,
  tooLong: (prompt, window) =>
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
  errorBody: (error) => ({ error: errorObject(error) }),
  errorFrame: (error) => dataFrame({ error: errorObject(error) }),
};

const text = z.strictObject({ type: z.literal('text'), text: z.string() });
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.union([
    z.string(),
    z.strictObject({ url: z.string(), detail: z.string().optional() }),
  ]),
});
const file = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({ filename: z.string().optional(), file_data: z.string() }),
});
const words = z.union([z.string(), z.array(text)]);
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function').optional(),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
  index: z.number().optional(),
});

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: words }),
  z.strictObject({ role: z.literal('developer'), content: words }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.union([text, image, file])).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: words.nullish(),
    // Of DeepSeek and local servers, and of Mistral.
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish(),
    prefix: z.boolean().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    tool_call_id: z.string(),
    // Of Mistral.
    name: z.string().optional(),
    content: words,
  }),
]);
type Message = z.output<typeof message>;

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string().optional(),
    parameters: jsonObject.optional(),
    strict: z.boolean().nullish(),
  }),
});

const requestForm = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.literal(true, { error: 'the rehearsal of this wire streams only' }),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  tools: z.array(tool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required', 'any']),
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({ name: z.string() }),
      }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: z
    .union([
      z.strictObject({ type: z.enum(['text', 'json_object']) }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject(outputSchemaFields),
      }),
    ])
    .optional(),
  reasoning_effort: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  user: z.string().optional(),
  // Of DeepSeek and of Mistral.
  thinking: z.strictObject({ type: z.enum(['enabled', 'disabled']) }).optional(),
  safe_prompt: z.boolean().optional(),
});

function take(form: z.output<typeof requestForm>, path: string): TakenRequest {
  checkCalls(form.messages);
  const conversation = new Conversation();
  const system: string[] = [];
  for (const one of form.messages) {
    if (one.role === 'system' || one.role === 'developer') system.push(wordsOf(one.content));
    else if (one.role === 'user') conversation.add('user', ...userBlocks(one));
    else if (one.role === 'assistant') conversation.add('assistant', ...assistantBlocks(one));
    else conversation.add('user', resultOf(one));
  }
  const { model, tools = [], response_format: format } = form;
  const request = messagesRequest({
    model,
    system,
    conversation,
    maxTokens: form.max_completion_tokens ?? form.max_tokens,
    tools: tools.map((one) => one.function),
    callsTools: form.tool_choice !== 'none',
    schema: format?.type === 'json_schema' ? format.json_schema.schema : undefined,
  });
  const isAsked = form.stream_options?.include_usage === true;
  return { model, request, countsUsage: isAsked ? 'own-frame' : (unasked(path) ?? 'nowhere') };
}

/** Of makers that count without being asked, by the beginning of their paths. */
function unasked(path: string): TakenRequest['countsUsage'] | undefined {
  const [, maker = ''] = path.split('/');
  return { mistral: 'last-frame' as const, groq: 'x_groq' as const }[maker];
}

/** @throws WireError for a call without its result, and a result without its call. */
function checkCalls(messages: readonly Message[]): void {
  let open = new Set<string>();
  const refuseOpen = (index: number): void => {
    if (open.size === 0) return;
    throw new WireError(
      400,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')} (before messages[${index}])`,
    );
  };
  messages.forEach((one, index) => {
    if (one.role === 'tool') {
      if (open.delete(one.tool_call_id)) return;
      throw new WireError(
        400,
        `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls' (messages[${index}])`,
      );
    }
    refuseOpen(index);
    open = new Set(one.role === 'assistant' ? one.tool_calls?.map(({ id }) => id) : []);
  });
  refuseOpen(messages.length);
}

function wordsOf(content: z.output<typeof words> | null | undefined): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
}

function userBlocks({ content }: Extract<Message, { role: 'user' }>): RequestBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part): RequestBlock => {
    if (part.type === 'text') return part;
    if (part.type === 'file') return { type: 'document', source: { type: 'base64' } };
    const { image_url: url } = part;
    return imageOf(typeof url === 'string' ? url : url.url);
  });
}

function assistantBlocks(one: Extract<Message, { role: 'assistant' }>): RequestBlock[] {
  const said = wordsOf(one.content);
  const calls = one.tool_calls ?? [];
  return [
    ...(said === '' ? [] : [{ type: 'text' as const, text: said }]),
    ...calls.map(({ id, function: { name, arguments: input } }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: inputOf(input),
    })),
  ];
}

function resultOf(one: Extract<Message, { role: 'tool' }>): RequestBlock {
  return { type: 'tool_result', tool_use_id: one.tool_call_id, content: wordsOf(one.content) };
}

const finishReasons: Readonly<Record<string, string>> = {
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

function encoder({ id, model, created, prompt, countsUsage }: ReplyIds) {
  let calls = -1;
  const head = { id, object: 'chat.completion.chunk', created, model };
  const chunk = (delta: object, finish_reason: string | null = null, rest: object = {}): string =>
    dataFrame({ ...head, choices: [{ index: 0, delta, finish_reason }], ...rest });
  let usage: object | undefined;
  return (event: WireEvent): string => {
    switch (event.type) {
      case 'message_start':
        return chunk({ role: 'assistant', content: '' });
      case 'content_block_start': {
        const block = event.content_block;
        if (block.type !== 'tool_use') return '';
        calls += 1;
        const begun = { name: block.name, arguments: '' };
        return chunk({
          tool_calls: [{ index: calls, id: block.id, type: 'function', function: begun }],
        });
      }
      case 'content_block_delta': {
        const { delta } = event;
        if (delta.type === 'text_delta') return chunk({ content: delta.text });
        if (delta.type === 'thinking_delta') return chunk({ reasoning_content: delta.thinking });
        if (delta.type !== 'input_json_delta') return '';
        const grown = { arguments: delta.partial_json };
        return chunk({ tool_calls: [{ index: calls, function: grown }] });
      }
      case 'message_delta': {
        const { output_tokens: completion_tokens } = event.usage;
        usage = {
          prompt_tokens: prompt,
          completion_tokens,
          total_tokens: prompt + completion_tokens,
          prompt_tokens_details: { cached_tokens: 0 },
        };
        const rest = {
          ...(countsUsage === 'last-frame' && { usage }),
          ...(countsUsage === 'x_groq' && { x_groq: { id, usage } }),
        };
        return chunk({}, finishReasons[event.delta.stop_reason ?? ''] ?? 'stop', rest);
      }
      case 'message_stop': {
        const counted = dataFrame({ ...head, choices: [], usage });
        return `${countsUsage === 'own-frame' ? counted : ''}data: [DONE]\n\n`;
      }
      case 'content_block_stop':
      case 'ping':
      case 'error':
        return '';
    }
  };
}
