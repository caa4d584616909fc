import { isPlainObject } from '../json.js';
import { refuse } from '../http/wire-error.js';
import {
  blocksOf,
  type OpaqueBlock,
  type RequestBlock,
  type RequestMessage,
} from '../request-types.js';
import type { WireContract } from '../http/read-request.js';

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const mostStrict = 20;

/** @throws a 400 for a malformed tool */
export function validateTools(tools: unknown): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) throw refuse('request-shape', 'tools: Input should be a valid list');
  const names = new Set<string>();
  let strict = 0;
  tools.forEach((tool: unknown, index) => {
    if (!isPlainObject(tool)) {
      throw refuse('request-shape', `tools.${index}: Input should be an object`);
    }
    const type = tool['type'] ?? 'custom';
    if (typeof type !== 'string') {
      throw refuse('request-shape', `tools.${index}.type: Input should be a valid string`);
    }
    const path = `tools.${index}.${type}`;
    const { name } = tool;
    if (typeof name !== 'string' || !toolName.test(name)) {
      const pattern = `String should match pattern '${toolName.source}'`;
      throw refuse('tool-name', `${path}.name: ${pattern}`);
    }
    if (names.has(name)) throw refuse('tool-twice', 'tools: Tool names must be unique.');
    names.add(name);
    if (type === 'custom') validateSchema(tool['input_schema'], path);
    if (type === memoryType) validateMemory(tool, path);
    if (tool['strict'] === true) strict += 1;
  });
  if (strict > mostStrict) {
    throw refuse('strict-tools', `tools: at most ${mostStrict} tools may be strict, not ${strict}`);
  }
}

const memoryType = 'memory_20250818';
const memoryFields = [
  'type',
  'name',
  'allowed_callers',
  'cache_control',
  'defer_loading',
  'input_examples',
  'strict',
];

/** The API keeps the schema of its own tools: whatever else a request says of one is refused. */
function validateMemory(tool: Record<string, unknown>, path: string): void {
  if (tool['name'] !== 'memory') {
    throw refuse('tool-name', `${path}.name: Input should be 'memory'`);
  }
  const extra = Object.keys(tool).find((field) => !memoryFields.includes(field));
  if (extra === undefined) return;
  throw refuse('tool-schema', `${path}.${extra}: Extra inputs are not permitted`);
}

function validateSchema(schema: unknown, path: string): void {
  if (!isPlainObject(schema)) throw refuse('tool-schema', `${path}.input_schema: Field required`);
  if (schema['type'] !== 'object') {
    throw refuse('tool-schema', `${path}.input_schema.type: Input should be 'object'`);
  }
  if (['oneOf', 'allOf', 'anyOf'].some((key) => schema[key] !== undefined)) {
    const where = 'does not support oneOf, allOf, or anyOf at the top level';
    throw refuse('tool-schema', `${path}.input_schema: input_schema ${where}`);
  }
}

const choices = ['auto', 'any', 'tool', 'none'];

/** @throws a 400 for a malformed choice, or a tool that is not offered */
export function validateToolChoice(choice: unknown, tools: unknown): void {
  if (choice === undefined) return;
  if (!isPlainObject(choice) || !choices.includes(String(choice['type']))) {
    throw refuse('tool-choice', "tool_choice: Input should be 'auto', 'any', 'tool' or 'none'");
  }
  const names = Array.isArray(tools) ? tools.map((tool: { name?: unknown }) => tool.name) : [];
  if (names.length === 0) {
    throw refuse('tool-choice', 'tool_choice may only be specified while providing tools.');
  }
  if (choice['type'] === 'tool' && !names.includes(choice['name'])) {
    throw refuse('tool-choice', `Tool '${String(choice['name'])}' not found in provided tools`);
  }
}

/**
 * Each call of a server tool must have its result in the same turn of the assistant, and each result
 * its call. A call may stay open where the turn goes on: at the end, or before messages with nothing
 * but results of the client's tools.
 *
 * @throws a 400 with the index of the message at fault
 */
export function validateServerTools(messages: readonly RequestMessage[]): void {
  const open = new Map<string, OpenCall>();
  messages.forEach((message, index) => {
    const blocks = blocksOf(message);
    if (message.role !== 'assistant') {
      const goesOn = blocks.every(({ type }) => type === 'tool_result');
      if (open.size > 0 && !goesOn) throw unanswered(open);
      return;
    }
    for (const block of blocks) {
      if (block.type === 'server_tool_use') {
        open.set(block.id ?? '', { index, name: block.name ?? '' });
      } else if (isServerResult(block) && !open.delete(block.tool_use_id ?? '')) {
        throw unexpected(index, block);
      }
    }
  });
}

interface OpenCall {
  /** The index of the call's message. */
  index: number;
  name: string;
}

export function isServerResult(block: RequestBlock): block is OpaqueBlock {
  return block.type !== 'tool_result' && block.type.endsWith('_tool_result');
}

function unanswered(open: ReadonlyMap<string, OpenCall>): Error {
  const [[id, { index, name }] = ['', { index: 0, name: '' }]] = open;
  return refuse(
    'server-tool-pairs',
    `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding ` +
      `\`${name}_tool_result\` block`,
  );
}

function unexpected(index: number, { type, tool_use_id: id }: OpaqueBlock): Error {
  return refuse(
    'server-tool-pairs',
    `messages.${index}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each ` +
      `\`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
  );
}

const known = new Set([
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'thinking',
  'tool_choice',
  'tools',
]);

const sampling = ['temperature', 'top_p', 'top_k'];

/** Fields of betas, each with the betas that allow it. */
const betaFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['context_management', ['context-management-2025-06-27', 'compact-2026-01-12']],
  ['compaction', ['compact-2026-09-04']],
  ['mcp_servers', ['mcp-client-2025-11-20', 'mcp-client-2026-09-15']],
  ['fallbacks', ['server-side-fallback-2026-06-01', 'server-side-fallback-2026-07-01']],
  ['thread', ['message-threads-2026-08-12']],
]);

/** @throws a 400 for a parameter that the version does not have, or has only with a beta */
export function validateFields(body: Record<string, unknown>, contract: WireContract): void {
  for (const field of Object.keys(body)) {
    if (known.has(field)) continue;
    if (sampling.includes(field)) {
      if (contract.version === '2023-06-01') continue;
      throw extra('sampling', field);
    }
    const betas = betaFields.get(field);
    if (betas === undefined) throw extra('request-shape', field);
    if (!betas.some((beta) => contract.betas.has(beta))) throw extra('beta-field', field);
  }
}

function extra(rule: 'sampling' | 'request-shape' | 'beta-field', field: string): Error {
  return refuse(rule, `${field}: Extra inputs are not permitted`);
}
