import { isPlainObject } from '../platform/json.js';

/**
 * Checks of what extensions register: JavaScript modules have no types that would enforce the
 * shapes.
 */

const effects = ['read', 'edit', 'command'];
const retries = ['safe', 'idempotent', 'never'];
const argumentKinds = ['command', 'path', 'text'];
const levels = ['message', 'step'];

/** @throws Error when the value is no function. */
export function expectFunction(given: unknown, what: string): void {
  if (typeof given !== 'function') throw new Error(`${what} must be a function`);
}

/** Checks the shape of a trigger. @throws Error with the fault. */
export function checkTrigger(given: unknown): void {
  const { id, priority, levels: at, check } = fieldsOf(given, 'a trigger');
  if (typeof id !== 'string' || !/^[a-z0-9-]{1,64}$/.test(id)) {
    throw new Error('the id of a trigger has 1 to 64 of a-z 0-9 -');
  }
  const isNumber = typeof priority === 'number' && Number.isFinite(priority);
  if (priority !== undefined && !isNumber) {
    throw new Error(`the priority of the trigger ${id} must be a number`);
  }
  if (at !== undefined && !(Array.isArray(at) && at.every((one) => isOneOf(levels, one)))) {
    throw new Error(`the levels of the trigger ${id} must be a list of ${levels.join(', ')}`);
  }
  expectFunction(check, `check of the trigger ${id}`);
}

/**
 * Checks the shape of a tool; the registry checks its name and schema.
 * @throws Error with the fault.
 */
export function checkTool(given: unknown): void {
  const tool = fieldsOf(given, 'a tool');
  const { name, description, inputSchema, effect, retry, permissionArgument, run } = tool;
  if (typeof name !== 'string') throw new Error('the name of a tool must be text');
  if (name.startsWith('mcp__')) {
    throw new Error(`the tool name ${name} begins with mcp__, as those of MCP servers do`);
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw new Error(`the tool ${name} needs a description: the model chooses by it`);
  }
  if (!isPlainObject(inputSchema)) {
    throw new Error(`the inputSchema of the tool ${name} must be a JSON Schema`);
  }
  if (effect !== undefined && !isOneOf(effects, effect)) {
    throw new Error(`the effect of the tool ${name} must be one of ${effects.join(', ')}`);
  }
  if (retry !== undefined && !isOneOf(retries, retry)) {
    throw new Error(`retry of the tool ${name} must be one of ${retries.join(', ')}`);
  }
  if (permissionArgument !== undefined && !isArgument(permissionArgument)) {
    throw new Error(`permissionArgument of the tool ${name} must be {name, kind}`);
  }
  expectFunction(run, `run of the tool ${name}`);
}

function isArgument(given: unknown): boolean {
  return (
    isPlainObject(given) &&
    typeof given['name'] === 'string' &&
    isOneOf(argumentKinds, given['kind'])
  );
}

function isOneOf(known: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && known.includes(value);
}

/** The fields of an object, which may be a class's instance. */
function fieldsOf(given: unknown, what: string): Record<string, unknown> {
  if (typeof given === 'object' && given !== null) return given as Record<string, unknown>;
  throw new Error(`${what} must be an object`);
}
