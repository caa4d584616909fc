import { isPlainObject, type JsonObject } from '../../platform/json.js';
import type { GivenAnswer } from '../../turn/approvals/validate-answer.js';
import type { InlineFile } from '../conversation/store-inline-files.js';
import { readContent } from './read-content.js';
import { badParam } from './responses-errors.js';

/** An answer to a question of an earlier response. */
export interface ItemAnswer {
  /** The question's id. */
  approvalId: string;
  given: GivenAnswer;
  field: string;
}

/** An item of the input. */
export interface ReadItem {
  /** `output`: what a response had; `note`: instructions of the application. */
  kind: 'message' | 'note' | 'output' | 'answer';
  text: string;
  files: readonly InlineFile[];
  /** The item as a line of a transcript. */
  line: string;
  answer: ItemAnswer | undefined;
  /** The item as `input_items` gives it back. */
  kept: JsonObject;
}

const types =
  'message, function_call, function_call_output, mcp_approval_response, reasoning, mcp_call and mcp_approval_request';

/** Reads an item. Pure. @throws TypedError INVALID_REQUEST 400. */
export function readItem(item: unknown, field: string): ReadItem {
  if (!isPlainObject(item)) throw badParam(field, `'${field}' must be an object`);
  const { type = item['role'] === undefined ? undefined : 'message' } = item;
  switch (type) {
    case 'message':
      return readMessage(item, field);
    case 'function_call_output':
      return readOutput(item, field);
    case 'mcp_approval_response':
      return readApproval(item, field);
    case 'function_call':
    case 'mcp_call':
      return output(
        item,
        `assistant called ${textOf(item, 'name', field)}(${textOf(item, 'arguments', field)})`,
      );
    case 'mcp_approval_request':
      return output(item, `assistant asked to call ${textOf(item, 'name', field)}`);
    // A model takes only its own thinking, which the server keeps with each turn.
    case 'reasoning':
      return output(item, '');
    default:
      throw badParam(`${field}.type`, `'${field}.type' must be one of ${types}`);
  }
}

function readMessage(item: Record<string, unknown>, field: string): ReadItem {
  const { role, content } = item;
  const isKnown =
    role === 'user' || role === 'assistant' || role === 'system' || role === 'developer';
  if (!isKnown) {
    throw badParam(`${field}.role`, `'${field}.role' must be user, assistant, system or developer`);
  }
  const parts = readContent(content, `${field}.content`);
  const text = parts.flatMap((part) => part.text || []).join('\n\n');
  const files = parts.flatMap(({ file }) => file ?? []);
  const kept = {
    type: 'message',
    role,
    status: 'completed',
    content: parts.map((part) => part.kept),
  };
  const line = [`${role}: ${text}`, ...files.map(({ name }) => `[file ${name}]`)].join(' ');
  const of = { text, files, line, kept, answer: undefined };
  if (role === 'user') return { ...of, kind: 'message' };
  if (files.length > 0)
    throw badParam(`${field}.content`, 'Only messages of the user may have files');
  return { ...of, kind: role === 'assistant' ? 'output' : 'note' };
}

function readOutput(item: Record<string, unknown>, field: string): ReadItem {
  const callId = textOf(item, 'call_id', field);
  const parts = readContent(item['output'], `${field}.output`);
  if (parts.some(({ file }) => file !== undefined)) {
    throw badParam(
      `${field}.output`,
      `'${field}.output' must be text: a tool's output has no files here`,
    );
  }
  const text = parts.map((part) => part.text).join('\n\n');
  const given: GivenAnswer = { ...none, decision: 'answer', output: text, isError: false };
  return {
    ...empty,
    kind: 'answer',
    line: `output: ${text}`,
    answer: { approvalId: callId, given, field: `${field}.call_id` },
    kept: { type: 'function_call_output', call_id: callId, output: text, status: 'completed' },
  };
}

function readApproval(item: Record<string, unknown>, field: string): ReadItem {
  const approvalId = textOf(item, 'approval_request_id', field);
  const { approve, reason } = item;
  if (typeof approve !== 'boolean') {
    throw badParam(`${field}.approve`, `'${field}.approve' must be true or false`);
  }
  if (reason !== undefined && reason !== null && typeof reason !== 'string') {
    throw badParam(`${field}.reason`, `'${field}.reason' must be text`);
  }
  // The reason of an approval does not go to the model.
  const given: GivenAnswer = approve
    ? { ...none, decision: 'approve' }
    : { ...none, decision: 'deny', message: reason ?? undefined };
  const kept = {
    type: 'mcp_approval_response',
    approval_request_id: approvalId,
    approve,
    reason: reason ?? null,
  };
  return {
    ...empty,
    kind: 'answer',
    line: approve ? 'user: approved' : 'user: denied',
    answer: { approvalId, given, field: `${field}.approval_request_id` },
    kept,
  };
}

const none = { message: undefined, input: undefined, rule: undefined };
const empty = { text: '', files: [] };

function output(item: Record<string, unknown>, line: string): ReadItem {
  const { type, id } = item;
  return {
    ...empty,
    kind: 'output',
    line,
    answer: undefined,
    kept: { type: String(type), id: String(id) },
  };
}

function textOf(item: Record<string, unknown>, name: string, field: string): string {
  const value = item[name];
  if (typeof value === 'string' && value !== '') return value;
  throw badParam(`${field}.${name}`, `'${field}.${name}' is missing or no text`);
}
