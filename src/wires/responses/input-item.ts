import { createHash } from 'node:crypto';
import {
  compact,
  isPlainObject,
  type JsonObject,
  printExact,
  printJson,
} from '../../platform/face.js';
import type { AnswerInput } from '../../turn/face.js';
import { answerInput } from '../chat/questions.js';
import { type InlineFile, parseBase64, parseDataUrl } from '../chat/inline-files.js';
import { parseArguments } from '../chat/client-history.js';
import { cleanName } from '../../attachments/face.js';
import { nameInNamespace } from '../../options/face.js';
import { badField, badParam } from './responses-errors.js';

/** An item of the input, as far as it means something to the server. */
export type InputItem = {
  /** Where it is in the request. */
  field: string;
  /** The item as `input_items` gives it back, but for an id that it lacks. */
  kept: JsonObject;
} & (
  | { kind: 'user'; content: readonly (string | InlineFile)[]; digest: string }
  | { kind: 'reply'; text: string }
  /** What the application says: a message of `system` or `developer`. */
  | { kind: 'note'; text: string }
  | { kind: 'call'; call: ReadCall }
  /** `blocks`: the output as it came, where it has files. They are shown with an answer; a history has their names. */
  | { kind: 'output'; callId: string; text: string; blocks?: unknown; isError: boolean }
  | { kind: 'approval'; approvalId: string; given: AnswerInput }
  | { kind: 'reference'; id: string }
  /** What only the server that made it can use, such as thinking. */
  | { kind: 'aside' }
);

export interface ReadCall {
  callId: string;
  name: string;
  input: JsonObject;
  /** The output, where it is in the item itself; undefined: it is an item of its own. */
  output: string | undefined;
  isError: boolean;
}

const types =
  'message, function_call, function_call_output, custom_tool_call, custom_tool_call_output, mcp_approval_response, reasoning, item_reference, or a call of a hosted tool';

/** Reads an item. Pure. @throws TypedError INVALID_REQUEST 400. */
export function readItem(item: unknown, field: string): InputItem {
  if (!isPlainObject(item)) throw badField(field, 'must be an object');
  // The request body was JSON, so its objects are too.
  const json = item as JsonObject;
  const given = item['type'] ?? impliedType(item);
  const type = typeof given === 'string' ? given : '';
  switch (type) {
    case 'message':
      return readMessage(json, field);
    case 'item_reference':
      return { field, kind: 'reference', id: textOf(item, 'id', field), kept: json };
    case 'function_call':
      return readFunctionCall(json, field);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return readOutput(json, textOf(item, 'call_id', field), field);
    case 'mcp_approval_response':
      return readApproval(json, field);
    // A model takes only its own thinking, which the server keeps with each turn.
    case 'reasoning':
      return { field, kind: 'aside', kept: { summary: [], ...json } };
    case 'mcp_approval_request':
    case 'mcp_list_tools':
      return { field, kind: 'aside', kept: json };
    case 'compaction':
    case 'compaction_summary':
      return { field, kind: 'note', text: compacted, kept: json };
    default:
      // What another program adds to the specification, such as `open_webui:code_interpreter`, is told as a call.
      if (/^\w{1,60}_call$/.test(type) || /^[\w-]{1,30}:[\w-]{1,30}$/.test(type)) {
        return readHostedCall(json, type, field);
      }
      if (/^\w{1,60}_call_output$/.test(type)) {
        return readOutput(json, callIdOf(json, field), field);
      }
      throw badField(`${field}.type`, `must be one of ${types}`);
  }
}

const compacted =
  'An earlier part of the conversation was compacted by another server, and cannot be read here.';

/** Items may come without a type: messages have a role, references an id alone. */
function impliedType(item: Record<string, unknown>): string | undefined {
  if (item['role'] !== undefined) return 'message';
  const isAlone = Object.keys(item).every((name) => name === 'id' || name === 'type');
  return isAlone && typeof item['id'] === 'string' ? 'item_reference' : undefined;
}

function readMessage(item: JsonObject, field: string): InputItem {
  const { role, content } = item;
  const isKnown =
    role === 'user' || role === 'assistant' || role === 'system' || role === 'developer';
  if (!isKnown) {
    throw badField(`${field}.role`, 'must be user, assistant, system or developer');
  }
  const parts = readContent(content, `${field}.content`, role === 'assistant');
  const kept = {
    ...idOf(item),
    type: 'message',
    role,
    status: 'completed',
    content: parts.map((part) => part.kept),
  };
  const of = { field, kept };
  if (role === 'user')
    return { ...of, kind: 'user', content: contentOf(parts), digest: digest(parts) };
  if (parts.some(({ file }) => file !== undefined)) {
    throw badParam(`${field}.content`, 'Only messages of the user may have files');
  }
  const text = parts.flatMap((part) => part.text || []).join('\n\n');
  return role === 'assistant' ? { ...of, kind: 'reply', text } : { ...of, kind: 'note', text };
}

function contentOf(parts: readonly ReadPart[]): (string | InlineFile)[] {
  return parts.flatMap(({ text, file }) => file ?? (text.trim() === '' ? [] : text));
}

function digest(parts: readonly ReadPart[]): string {
  const hash = createHash('sha256');
  for (const { text, file } of parts) hash.update(file?.bytes ?? JSON.stringify(text));
  return hash.digest('base64url');
}

function readFunctionCall(item: JsonObject, field: string): InputItem {
  const callId = textOf(item, 'call_id', field);
  const name = toolOf(item, textOf(item, 'name', field));
  const given = item['arguments'];
  const text = typeof given === 'string' ? given : printJson(given ?? {});
  const kept = {
    ...idOf(item),
    type: 'function_call',
    call_id: callId,
    ...compact({ name: item['name'], namespace: item['namespace'] }),
    arguments: text,
    status: 'completed',
  };
  const call = { callId, name, input: parseArguments(text), output: undefined, isError: false };
  return { field, kept, kind: 'call', call };
}

/** Fields of a call's item that are not what the tool was given. */
const aboutCalls = [
  'type',
  'id',
  'call_id',
  'status',
  'name',
  'namespace',
  'server_label',
  'error',
  // Open WebUI's own.
  'started_at',
  'ended_at',
  'duration',
];
const outputFields = ['output', 'outputs', 'results', 'result'];
const notSent = 'What it gave is not in the history that the client sent.';

/** The name under which the model has the tool of a call. */
function toolOf({ namespace }: JsonObject, name: string): string {
  return typeof namespace === 'string' && namespace !== ''
    ? nameInNamespace(namespace, name)
    : name;
}

/** A call that a server ran, or a hosted tool: its output may be in the item itself. */
function readHostedCall(item: JsonObject, type: string, field: string): InputItem {
  const callId = callIdOf(item, field);
  const { name, error, arguments: text } = item;
  const given = Object.entries(item).filter(
    ([key]) => ![...aboutCalls, ...outputFields, 'arguments', 'approval_request_id'].includes(key),
  );
  const isError = error !== undefined && error !== null;
  const output = isError
    ? error
    : outputFields.map((key) => item[key]).find((one) => one !== undefined && one !== null);
  // What the client or another program ran has its output as an item of its own.
  const isApart = item['call_id'] !== undefined && output === undefined;
  return {
    field,
    kept: { ...item, type },
    kind: 'call',
    call: {
      callId,
      name:
        typeof name === 'string' && name !== '' ? toolOf(item, name) : type.replace(/_call$/, ''),
      input: typeof text === 'string' ? parseArguments(text) : Object.fromEntries(given),
      output: isApart ? undefined : shownOutput(output, type),
      isError,
    },
  };
}

function shownOutput(output: unknown, type: string): string {
  if (output === undefined || type === 'image_generation_call') return notSent;
  return typeof output === 'string' ? output : printJson(output);
}

function callIdOf(item: JsonObject, field: string): string {
  return typeof item['call_id'] === 'string'
    ? textOf(item, 'call_id', field)
    : textOf(item, 'id', field);
}

function readOutput(item: JsonObject, callId: string, field: string): InputItem {
  const { output } = item;
  const type = typeof item['type'] === 'string' ? item['type'] : '';
  // Outputs of hosted tools are objects, as a screenshot.
  const isHosted = type !== 'function_call_output' && type !== 'custom_tool_call_output';
  const of = { field, kind: 'output', callId, isError: item['status'] === 'incomplete' } as const;
  const kept = { ...idOf(item), type, call_id: callId, status: 'completed' };
  if (isHosted) {
    const text = typeof output === 'string' ? output : withoutData(output ?? item);
    return { ...of, text, kept: { ...item } };
  }
  const parts = readContent(output ?? '', `${field}.output`);
  const text = parts
    .map(({ text: content, file }) =>
      file === undefined ? content : `[${file.name}, which is not shown again]`,
    )
    .join('\n\n');
  const given = typeof output === 'string' ? output : parts.map((part) => part.kept);
  const blocks = parts.some(({ file }) => file !== undefined) ? { blocks: output } : {};
  return { ...of, text, ...blocks, kept: { ...kept, output: given } };
}

/** An output as text, without pictures in it. */
function withoutData(output: unknown): string {
  const json = JSON.stringify(output, (_key, value: unknown) =>
    typeof value === 'string' && /^data:/i.test(value) ? '[a file, which is not shown]' : value,
  );
  return printExact(json);
}

function readApproval(item: JsonObject, field: string): InputItem {
  const approvalId = textOf(item, 'approval_request_id', field);
  const { approve, reason } = item;
  if (typeof approve !== 'boolean') {
    throw badField(`${field}.approve`, 'must be true or false');
  }
  if (reason !== undefined && reason !== null && typeof reason !== 'string') {
    throw badField(`${field}.reason`, 'must be text');
  }
  // The reason of an approval does not go to the model.
  const given = approve
    ? answerInput('approve')
    : answerInput('deny', { message: reason ?? undefined });
  const kept = {
    ...idOf(item),
    type: 'mcp_approval_response',
    approval_request_id: approvalId,
    approve,
    reason: reason ?? null,
  };
  return { field, kept, kind: 'approval', approvalId, given };
}

function idOf({ id }: JsonObject): { id?: string } {
  return typeof id === 'string' && id !== '' ? { id } : {};
}

function textOf(item: Record<string, unknown>, name: string, field: string): string {
  const value = item[name];
  if (typeof value === 'string' && value !== '') return value;
  throw badField(`${field}.${name}`, 'is missing or not text');
}

/** A part of a message or of an output. */
interface ReadPart {
  text: string;
  file: InlineFile | undefined;
  /** The part as `input_items` gives it back: a file without its bytes. */
  kept: JsonObject;
}

const notFetched =
  'this server fetches no files and keeps none under ids: send the bytes, or give the agent a tool that reads the address';

/**
 * The parts of a content: a text, or a list. Pure.
 *
 * @param field where it is in the request.
 * @param isOutput whether it is the assistant's: its texts have another type.
 * @throws TypedError INVALID_REQUEST 400.
 */
function readContent(content: unknown, field: string, isOutput = false): ReadPart[] {
  if (typeof content === 'string') return [textPart(content, isOutput)];
  if (!Array.isArray(content)) {
    throw badField(field, 'must be a text, or a list of input_text, input_image and input_file');
  }
  return (content as unknown[]).map((part, index) =>
    readPart(part, `${field}[${index}]`, isOutput),
  );
}

function readPart(part: unknown, field: string, isOutput: boolean): ReadPart {
  const { type, ...fields } = isPlainObject(part) ? part : {};
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return textPart(asText(fields['text'], `${field}.text`), isOutput);
    case 'refusal': {
      const refusal = asText(fields['refusal'], `${field}.refusal`);
      return { ...textPart(refusal, isOutput), kept: { type, refusal } };
    }
    case 'input_image':
      return imagePart(fields, field);
    case 'input_file':
      return filePart(fields, field);
    default:
      throw badField(
        `${field}.type`,
        'must be one of input_text, input_image, input_file; a message of the assistant has output_text',
      );
  }
}

function textPart(text: string, isOutput: boolean): ReadPart {
  const kept: JsonObject = isOutput
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'input_text', text };
  return { text, file: undefined, kept };
}

function imagePart(fields: Record<string, unknown>, field: string): ReadPart {
  const { image_url: url, file_id, detail = 'auto' } = fields;
  if (typeof url !== 'string' || (file_id !== undefined && file_id !== null)) {
    throw badField(`${field}.image_url`, `must be a data: URL: ${notFetched}`);
  }
  if (typeof detail !== 'string') throw badField(`${field}.detail`, 'must be text');
  const { name, bytes } = readDataUrl(url, nameAt('image', field), `${field}.image_url`);
  const kept = { type: 'input_image', image_url: null, file_id: null, detail, filename: name };
  return { text: '', file: { name, bytes }, kept };
}

function filePart(fields: Record<string, unknown>, field: string): ReadPart {
  const { file_data: data, filename, file_url, file_id } = fields;
  const given = typeof filename === 'string' ? filename : nameAt('file', field);
  const isElsewhere = [file_url, file_id].some((one) => one !== undefined && one !== null);
  if (typeof data !== 'string' || isElsewhere) {
    throw badField(`${field}.file_data`, `must be base64 or a data: URL: ${notFetched}`);
  }
  const file = /^data:/i.test(data)
    ? readDataUrl(data, given, `${field}.file_data`)
    : readBase64(data, given, `${field}.file_data`);
  return { text: '', file, kept: { type: 'input_file', filename: file.name } };
}

/** The name of a file that has none, by its place: `image-2-1`. An extension would claim a type. */
function nameAt(kind: string, field: string): string {
  const numbers = [...field.matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index) + 1);
  return [kind, ...numbers].join('-');
}

/** What the file is says its content: the type that the URL declares counts for nothing. */
function readDataUrl(url: string, name: string, field: string): InlineFile {
  if (!/^data:/i.test(url)) throw badField(field, `is not a data: URL: ${notFetched}`);
  const bytes = parseDataUrl(url);
  if (bytes === undefined) {
    throw badField(field, 'cannot be read: send data:<type>;base64,<content>');
  }
  return { name: cleanName(name), bytes };
}

function readBase64(data: string, name: string, field: string): InlineFile {
  const bytes = parseBase64(data);
  if (bytes === undefined) throw badField(field, 'is not base64');
  return { name: cleanName(name), bytes };
}

function asText(text: unknown, field: string): string {
  if (typeof text === 'string') return text;
  throw badField(field, 'must be text');
}
