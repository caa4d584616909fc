import * as z from 'zod';
import { WireError } from '../http/wire-error.js';
import type { RequestBlock } from '../request-types.js';
import { parseSignature } from '../thinking/sign-thinking.js';
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
  type TakenRequest,
} from './maker-wire.js';
import { encodeResponse } from './encode-response.js';

/**
 * Responses without stored state, as OpenAI has them, and xAI after it
 * ({platform.openai.com/docs/api-reference/responses}). A field that is not documented is refused.
 */
export const responses: MakerWire = {
  checkHeaders: checkBearer,
  take: (body) => take(parseForm(requestForm, body, explainIssue)),
  encoder: encodeResponse,
  tooLong: () =>
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  errorBody: (error) => ({ error: errorObject(error) }),
  errorFrame: (error) => {
    const { message, type: code } = errorObject(error);
    const event = { type: 'error', code, message, param: null, sequence_number: 0 };
    return `event: error\n${dataFrame(event)}`;
  },
};

const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string() });
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string(),
  detail: z.string().nullish(),
});
const inputFile = z.strictObject({
  type: z.literal('input_file'),
  filename: z.string().optional(),
  file_data: z.string().optional(),
  file_url: z.string().optional(),
});
const inputPart = z.union([inputText, inputImage, inputFile]);
const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).optional(),
  logprobs: z.array(z.unknown()).optional(),
});

const item = z.union([
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.enum(['system', 'developer', 'user']),
    content: z.union([z.string(), z.array(inputPart).min(1)]),
  }),
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.literal('assistant'),
    id: z.string().optional(),
    status: z.string().optional(),
    content: z.union([z.string(), z.array(outputText)]),
    phase: z.string().nullish(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().optional(),
    call_id: z.string().min(1).max(64),
    name: z.string(),
    arguments: z.string(),
    status: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: z.string(),
    output: z.union([z.string(), z.array(inputPart)]),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().optional(),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    encrypted_content: z.string().nullish(),
    status: z.string().optional(),
  }),
]);
type Item = z.output<typeof item>;

const requestForm = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.literal(true, { error: 'the rehearsal of this wire streams only' }),
  store: z.literal(false, { error: 'the rehearsal stores no replies' }),
  include: z.array(z.string()).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        description: z.string().nullish(),
        parameters: jsonObject,
        strict: z.boolean().nullish(),
      }),
    )
    .max(128)
    .optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), name: z.string() }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .strictObject({
      format: z
        .union([
          z.strictObject({ type: z.enum(['text', 'json_object']) }),
          z.strictObject({
            type: z.literal('json_schema'),
            ...outputSchemaFields,
          }),
        ])
        .optional(),
      verbosity: z.string().optional(),
    })
    .optional(),
  reasoning: z
    .strictObject({ effort: z.string().nullish(), summary: z.string().nullish() })
    .nullish(),
  prompt_cache_key: z.string().optional(),
  user: z.string().optional(),
});

function take(form: z.output<typeof requestForm>): TakenRequest {
  const conversation = new Conversation();
  const system =
    form.instructions === null || form.instructions === undefined ? [] : [form.instructions];
  const { input } = form;
  if (typeof input === 'string') conversation.add('user', { type: 'text', text: input });
  else {
    checkItems(input);
    for (const one of input) addItem(one, conversation, system);
  }
  const { model, tools = [] } = form;
  const format = form.text?.format;
  const request = messagesRequest({
    model,
    system,
    conversation,
    maxTokens: form.max_output_tokens,
    tools,
    callsTools: form.tool_choice !== 'none',
    schema: format?.type === 'json_schema' ? format.schema : undefined,
  });
  return { model, request, countsUsage: 'last-frame' };
}

/** @throws WireError for calls without results, results without calls, and reasoning of somebody else. */
function checkItems(items: readonly Item[]): void {
  const called = new Set<string>();
  const answered = new Set<string>();
  items.forEach((one, index) => {
    if (!('type' in one)) return;
    if (one.type === 'function_call') called.add(one.call_id);
    if (one.type === 'function_call_output') {
      answered.add(one.call_id);
      if (!called.has(one.call_id)) {
        throw new WireError(
          400,
          `No tool call found for function call output with call_id ${one.call_id}.`,
        );
      }
    }
    if (one.type === 'reasoning') checkReasoning(one, index, items[index + 1]);
  });
  const open = [...called].find((id) => !answered.has(id));
  if (open !== undefined) {
    throw new WireError(400, `No tool output found for function call ${open}.`);
  }
}

function checkReasoning(
  { id = '', encrypted_content: content }: Extract<Item, { type: 'reasoning' }>,
  index: number,
  next: Item | undefined,
): void {
  if (content === null || content === undefined) {
    throw new WireError(
      404,
      `Item with id '${id}' not found. Items are not persisted when 'store' is set to false. Try again with 'store' set to true, or remove this item from your input.`,
    );
  }
  const claim = parseSignature({ type: 'redacted_thinking', data: content });
  if (claim === 'foreign' || claim === 'damaged') {
    throw new WireError(400, `The encrypted content for item ${id} could not be verified.`);
  }
  const isFollowed =
    next !== undefined && !('role' in next && next.role !== 'assistant') && !isResult(next);
  if (!isFollowed) {
    throw new WireError(
      400,
      `Item '${id}' of type 'reasoning' was provided without its required following item (input[${index}]).`,
    );
  }
}

function isResult(one: Item): boolean {
  return 'type' in one && one.type === 'function_call_output';
}

function addItem(one: Item, conversation: Conversation, system: string[]): void {
  if ('role' in one) {
    if (one.role === 'assistant') {
      const said =
        typeof one.content === 'string'
          ? one.content
          : one.content.map((part) => part.text).join('');
      conversation.add('assistant', { type: 'text', text: said });
    } else if (one.role === 'user') conversation.add('user', ...partsOf(one.content));
    else
      system.push(
        partsOf(one.content)
          .map((part) => (part.type === 'text' ? part.text : ''))
          .join('\n'),
      );
    return;
  }
  if (one.type === 'function_call') {
    const { call_id: id, name } = one;
    conversation.add('assistant', { type: 'tool_use', id, name, input: inputOf(one.arguments) });
  } else if (one.type === 'function_call_output') {
    const content = partsOf(one.output);
    conversation.add('user', { type: 'tool_result', tool_use_id: one.call_id, content });
  }
}

function partsOf(content: string | readonly z.output<typeof inputPart>[]): RequestBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part): RequestBlock => {
    if (part.type === 'input_text') return { type: 'text', text: part.text };
    if (part.type === 'input_image') return imageOf(part.image_url);
    return { type: 'document', source: { type: 'base64' } };
  });
}
