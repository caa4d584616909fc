import { isPlainObject } from '../../platform/json.js';
import { refuse } from '../http/wire-error.js';

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
