import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ProtocolError, type Client } from '@modelcontextprotocol/client';
import { compact } from '../../platform/compact.js';
import { isConnectionLost } from './faults.js';
import { sendRequest } from './messages.js';
import { paramHeaders, type ParamHeader } from './param-headers.js';
import { cutText } from '../../platform/text/cut-text.js';
import { isPlainObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { compileInputCheck, type InputCheck } from '../../platform/json-schema/check-input.js';
import { objectSchema } from '../../platform/json-schema/object-schema.js';
import { schemaFault } from '../../platform/json-schema/schema-fault.js';

export interface McpToolList {
  tools: McpTool[];
  /** A sentence for each tool that is left out; 11 at most. */
  problems: string[];
  /** What the server says of their use; empty: nothing. */
  instructions: string;
  hasResources: boolean;
  hasPrompts: boolean;
}

const MAX_TOOLS = 200;
const MAX_PAGES = 50;
const MAX_PROBLEMS = 10;
/** Every request of a session has them. */
const MAX_INSTRUCTIONS_CHARS = 2_000;

/** Lists the tools of a server, 200 at most. A tool that cannot be offered is left out and named. */
export async function listTools(client: Client, signal: AbortSignal): Promise<McpToolList> {
  const { tools: hasTools, resources, prompts } = client.getServerCapabilities() ?? {};
  const hasResources = resources !== undefined;
  const hasPrompts = prompts !== undefined;
  const hasOthers = hasResources || hasPrompts;
  const isAsked = hasTools !== undefined || !hasOthers;
  const entries = isAsked
    ? await listToolEntries(client, signal, hasTools !== undefined)
    : undefined;
  if (entries === undefined) {
    const problems = hasOthers ? [] : ['it has no tools'];
    return { tools: [], problems, instructions: '', hasResources, hasPrompts };
  }
  const isModern = client.getProtocolEra() === 'modern';
  const tools = new Map<string, { tool: McpTool; entry: unknown }>();
  const problems: string[] = [];
  for (const entry of entries.slice(0, MAX_TOOLS)) {
    // Checking a large schema takes milliseconds of the event loop.
    await yieldToEventLoop();
    try {
      const tool = parseTool(entry, isModern);
      const first = tools.get(tool.name);
      if (first === undefined) tools.set(tool.name, { tool, entry });
      else if (!isDeepStrictEqual(first.entry, entry)) {
        throw new Error('it is listed twice, and the first is offered');
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : 'its schema cannot be read';
      problems.push(`its tool ${nameOfEntry(entry)} is left out: ${why.slice(0, 200)}`);
    }
  }
  if (entries.length > MAX_TOOLS) {
    problems.unshift(
      `it has more than ${MAX_TOOLS} tools; only the first ${MAX_TOOLS} are offered`,
    );
  }
  const instructions = cutText((client.getInstructions() ?? '').trim(), MAX_INSTRUCTIONS_CHARS);
  return {
    tools: [...tools.values()].map(({ tool }) => tool),
    problems: shorten(problems),
    instructions,
    hasResources,
    hasPrompts,
  };
}

/** Entries of tools. A server that says of nothing that it has it may have tools all the same; undefined: it has none. */
async function listToolEntries(
  client: Client,
  signal: AbortSignal,
  isDeclared: boolean,
): Promise<unknown[] | undefined> {
  try {
    return await listEntries(client, signal, { of: 'tools', most: MAX_TOOLS });
  } catch (error) {
    if (isDeclared || !(error instanceof ProtocolError) || isConnectionLost(error)) throw error;
    return undefined;
  }
}

/** The entries of all pages of a list, up to a bit more than `most`. */
export async function listEntries(
  client: Client,
  signal: AbortSignal,
  { of, most }: { of: 'tools' | 'prompts'; most: number },
): Promise<unknown[]> {
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && entries.length <= most; page += 1) {
    const request = { method: `${of}/list`, params: compact({ cursor }) };
    const result = await sendRequest(client, request, { signal });
    if (Array.isArray(result[of])) entries.push(...(result[of] as unknown[]));
    const next = result['nextCursor'];
    // An empty cursor is one. Some servers give every page the cursor of the same next one.
    if (typeof next !== 'string' || cursors.has(next)) break;
    cursors.add(next);
    cursor = next;
  }
  return entries;
}

function shorten(problems: string[]): string[] {
  const more = problems.length - MAX_PROBLEMS;
  return more > 0
    ? [...problems.slice(0, MAX_PROBLEMS), `and ${more} more of its tools`]
    : problems;
}

/** A tool of an MCP server, validated. */
export interface McpTool {
  /** The server's own name for it. */
  name: string;
  description: string;
  /** The schema that the model is shown. */
  inputSchema: JsonObject;
  checkInput: InputCheck;
  /** Fields of its input that a call over HTTP repeats in headers. */
  headers: readonly ParamHeader[];
  readOnly: boolean;
  idempotent: boolean;
}

/** Most characters of a schema, as JSON. */
const MAX_SCHEMA_CHARS = 65_536;
const MAX_NAME_CHARS = 256;
const MAX_DESCRIPTION_CHARS = 4_096;
/** Property names that the model's provider takes. */
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Parses an entry of `tools/list`.
 *
 * @param isModern whether calls over HTTP repeat fields in headers, as since version 2026-07-28 of the protocol.
 * @throws Error with the fault of the entry.
 */
export function parseTool(input: unknown, isModern = true): McpTool {
  const name = isPlainObject(input) ? input['name'] : undefined;
  if (!isPlainObject(input) || typeof name !== 'string' || name === '') {
    throw new Error('it has no name');
  }
  if (name.length > MAX_NAME_CHARS) throw new Error('its name is too long');
  if (isPlainObject(input['execution']) && input['execution']['taskSupport'] === 'required') {
    throw new Error('it runs as a task only (execution.taskSupport), which is not supported');
  }
  // A tool without a schema takes any object, as one with an empty schema does.
  const schema = parseSchema(input['inputSchema'] ?? {});
  const annotations = isPlainObject(input['annotations']) ? input['annotations'] : {};
  const description = typeof input['description'] === 'string' ? input['description'] : '';
  return {
    name,
    description: description.slice(0, MAX_DESCRIPTION_CHARS),
    inputSchema: schema,
    checkInput: compileInputCheck(shallowSchema(schema)),
    headers: isModern ? paramHeaders(input['inputSchema']) : [],
    readOnly: annotations['readOnlyHint'] === true,
    idempotent: annotations['idempotentHint'] === true,
  };
}

/** A name for an entry in messages, also when the entry is not valid. */
function nameOfEntry(input: unknown): string {
  const name = isPlainObject(input) ? input['name'] : undefined;
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 60)) : 'without a name';
}

/** The schema as providers of models take it: with the properties at its root, and no choices there. */
function parseSchema(input: unknown): JsonObject {
  if (!isPlainObject(input)) throw new Error('its input schema is no object');
  // The value was parsed from JSON.
  const schema = input as JsonObject;
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS) {
    throw new Error(`its input schema has more than ${MAX_SCHEMA_CHARS} characters`);
  }
  const fault = schemaFault(schema);
  if (fault !== undefined) throw new Error(`its input schema is not valid: ${fault}`);
  const shown = objectSchema(schema) ?? schema;
  const properties = isPlainObject(shown['properties']) ? Object.keys(shown['properties']) : [];
  const odd = properties.find((property) => !propertyName.test(property));
  if (odd !== undefined) {
    throw new Error(
      `its input has a property ${JSON.stringify(odd.slice(0, 60))}, which no model takes`,
    );
  }
  if (JSON.stringify(shown).length > 2 * MAX_SCHEMA_CHARS) {
    throw new Error(`its input schema has more than ${MAX_SCHEMA_CHARS} characters`);
  }
  return shown;
}

const MAX_PROPERTIES = 200;
const MAX_ENUM_VALUES = 100;

/**
 * The part of an MCP server's schema that is checked before a call: its properties, which are required,
 * and their types. The server checks the rest. Compiling the whole schema could take seconds, and
 * validating with it unbounded time: schemas may have recursive references and regular expressions that
 * backtrack.
 */
function shallowSchema(schema: JsonObject): JsonObject {
  const { properties: declared, required, patternProperties, additionalProperties } = schema;
  const entries = isPlainObject(declared) ? Object.entries(declared) : [];
  const known = entries.length <= MAX_PROPERTIES;
  const isClosed = known && additionalProperties === false && patternProperties === undefined;
  return {
    type: 'object',
    properties: known
      ? Object.fromEntries(entries.map(([name, below]) => [name, shallowProperty(below)]))
      : {},
    ...compact({
      required: Array.isArray(required) && required.length <= MAX_PROPERTIES ? required : undefined,
      additionalProperties: isClosed ? false : undefined,
    }),
  };
}

function shallowProperty(below: JsonValue): JsonObject {
  if (!isPlainObject(below)) return {};
  const { type, enum: values } = below;
  const isShort =
    Array.isArray(values) && values.length <= MAX_ENUM_VALUES && values.every(isScalar);
  return compact({ type, enum: isShort ? values : undefined });
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}
