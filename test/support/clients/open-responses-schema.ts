import { Ajv2020 } from 'ajv/dist/2020.js';

/** What version 2026-04-24 of the open specification requires, for models that answer and call functions. */

const text = { type: 'string' };
const whole = { type: 'integer' };
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const always = (type: string) => ({ const: type });
const listOf = (items: object) => ({ type: 'array', items });
const record = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

const itemStatus = { enum: ['in_progress', 'completed', 'incomplete'] };
const citation = record({
  type: always('url_citation'),
  url: text,
  start_index: whole,
  end_index: whole,
  title: text,
});
const outputText = record(
  { type: always('output_text'), text, annotations: listOf(citation), logprobs: listOf({}) },
  ['logprobs'],
);
const summaryText = record({ type: always('summary_text'), text });
const message = record({
  type: always('message'),
  id: text,
  status: itemStatus,
  role: { enum: ['assistant', 'user', 'system', 'developer'] },
  content: listOf(outputText),
});
const functionCall = record({
  type: always('function_call'),
  id: text,
  call_id: text,
  name: text,
  arguments: text,
  status: itemStatus,
});
const reasoning = record(
  { type: always('reasoning'), id: text, summary: listOf(summaryText), content: listOf({}) },
  ['content'],
);
const item = { oneOf: [message, functionCall, reasoning] };

const usage = record({
  input_tokens: whole,
  output_tokens: whole,
  total_tokens: whole,
  input_tokens_details: record({ cached_tokens: whole }),
  output_tokens_details: record({ reasoning_tokens: whole }),
});
const functionTool = record({
  type: always('function'),
  name: text,
  description: orNull(text),
  parameters: orNull({ type: 'object' }),
  strict: orNull({ type: 'boolean' }),
});

const response = record({
  id: text,
  object: always('response'),
  created_at: whole,
  completed_at: orNull(whole),
  status: text,
  incomplete_details: orNull(record({ reason: text })),
  model: text,
  previous_response_id: orNull(text),
  instructions: orNull(text),
  output: listOf(item),
  error: orNull(record({ code: text, message: text })),
  tools: listOf(functionTool),
  tool_choice: { enum: ['none', 'auto', 'required'] },
  truncation: { enum: ['auto', 'disabled'] },
  parallel_tool_calls: { type: 'boolean' },
  text: record({ format: record({ type: { enum: ['text', 'json_object', 'json_schema'] } }) }),
  top_p: { type: 'number' },
  presence_penalty: { type: 'number' },
  frequency_penalty: { type: 'number' },
  top_logprobs: whole,
  temperature: { type: 'number' },
  reasoning: orNull(record({ effort: orNull(text), summary: orNull(text) })),
  usage: orNull(usage),
  max_output_tokens: orNull(whole),
  max_tool_calls: orNull(whole),
  store: { type: 'boolean' },
  background: { type: 'boolean' },
  service_tier: text,
  metadata: {},
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
});

const ofItem = { item_id: text, output_index: whole };
const ofText = { ...ofItem, content_index: whole };
const ofSummary = { ...ofItem, summary_index: whole };
const events: Record<string, Record<string, object>> = {
  'response.created': { response },
  'response.queued': { response },
  'response.in_progress': { response },
  'response.completed': { response },
  'response.failed': { response },
  'response.incomplete': { response },
  'response.output_item.added': { output_index: whole, item },
  'response.output_item.done': { output_index: whole, item },
  'response.content_part.added': { ...ofText, part: outputText },
  'response.content_part.done': { ...ofText, part: outputText },
  'response.output_text.delta': { ...ofText, delta: text },
  'response.output_text.done': { ...ofText, text },
  'response.output_text.annotation.added': {
    ...ofText,
    annotation_index: whole,
    annotation: citation,
  },
  'response.reasoning_summary_part.added': { ...ofSummary, part: summaryText },
  'response.reasoning_summary_part.done': { ...ofSummary, part: summaryText },
  'response.reasoning_summary_text.delta': { ...ofSummary, delta: text },
  'response.reasoning_summary_text.done': { ...ofSummary, text },
  'response.function_call_arguments.delta': { ...ofItem, delta: text },
  'response.function_call_arguments.done': { ...ofItem, arguments: text },
};

const ajv = new Ajv2020({ allErrors: true });
const isResponse = ajv.compile(response);
const checks = new Map(
  Object.entries(events).map(([type, fields]) => [
    type,
    ajv.compile(record({ type: always(type), sequence_number: whole, ...fields })),
  ]),
);

/** What is wrong with a response; undefined: nothing. */
export function responseFault(value: unknown): string | undefined {
  return isResponse(value) ? undefined : ajv.errorsText(isResponse.errors);
}

/** What is wrong with an event; undefined: nothing. */
export function eventFault(value: { type: string }): string | undefined {
  const check = checks.get(value.type);
  if (check === undefined) return `The specification has no event ${value.type}`;
  return check(value) ? undefined : ajv.errorsText(check.errors);
}
