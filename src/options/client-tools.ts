import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject } from '../platform/json.js';
import { objectSchema } from '../platform/json-schema/object-schema.js';
import { schemaFault } from '../platform/json-schema/schema-fault.js';
import { storableJson, storableText } from '../storage/connection.js';
import type { ClientTool } from '../storage/shapes/stored-options.js';

const MAX_TOOLS = 64;
const MAX_NAME_CHARS = 64;
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
/** Coding agents describe their tools at length: that of Codex for subagents has 6,000. */
const MAX_DESCRIPTION_CHARS = 16_384;
/** Most characters, as JSON, of one schema; and of all tools, which are stored with the turn. */
const MAX_SCHEMA_CHARS = 65_536;
const MAX_TOOLS_CHARS = 131_072;
/** Property names that the provider accepts. */
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;
const fields = ['name', 'description', 'inputSchema'];

export const clientToolsExpected = `a list of at most ${MAX_TOOLS} tools, each with name, description and inputSchema`;

/** A tool of the list that is not offered. */
export interface OddTool {
  index: number;
  /** Its name; undefined: it has none. */
  name: string | undefined;
  /** Begins with the field at fault: ".name is …". */
  fault: string;
}

/**
 * Parses `opts.clientTools`. A tool with a fault costs itself alone.
 *
 * @returns the tools without a fault, and the others; or a fault of the list that completes "must be …".
 */
export function parseClientTools(
  value: unknown,
): { tools: ClientTool[]; odd: OddTool[] } | { fault: string } {
  if (!Array.isArray(value) || value.length > MAX_TOOLS) return { fault: clientToolsExpected };
  const tools: ClientTool[] = [];
  const odd: OddTool[] = [];
  for (const [index, item] of (value as unknown[]).entries()) {
    const given =
      isPlainObject(item) && item['description'] === undefined
        ? { ...item, description: '' }
        : item;
    const fault = toolFault(given) ?? repeatFault(given, tools);
    if (fault === undefined) tools.push(toTool(given));
    else odd.push({ index, name: nameOf(item), fault });
  }
  if (JSON.stringify(tools).length > MAX_TOOLS_CHARS) {
    return wrong(`all of them have more than ${MAX_TOOLS_CHARS} characters`);
  }
  return { tools, odd };
}

function repeatFault(item: unknown, tools: readonly ClientTool[]): string | undefined {
  const { name } = item as ClientTool;
  const isTaken = tools.some((tool) => tool.name === name);
  return isTaken ? `.name is ${name} for the second time` : undefined;
}

function nameOf(item: unknown): string | undefined {
  const name = isPlainObject(item) ? item['name'] : undefined;
  return typeof name === 'string' ? storableText(name.slice(0, 60)) : undefined;
}

function wrong(what: string): { fault: string } {
  return { fault: `${clientToolsExpected}; ${what}` };
}

/** The name under which the model has a tool of a namespace. One that is too long ends with its digest. Pure. */
export function nameInNamespace(namespace: string, name: string): string {
  const whole = `${namespace}__${name}`;
  if (whole.length <= MAX_NAME_CHARS) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, MAX_NAME_CHARS - digest.length - 1)}_${digest}`;
}

/** The fault in an entry, without the entry's index; undefined: none. */
function toolFault(item: unknown): string | undefined {
  if (!isPlainObject(item)) return ' is no object';
  const { name, description, inputSchema } = item;
  const odd = Object.keys(item).find((key) => !fields.includes(key));
  if (odd !== undefined) return ` has a field ${shown(odd)}, which is not known`;
  if (typeof name !== 'string' || !toolName.test(name)) {
    return '.name is not 1 to 64 of a-z A-Z 0-9 _ -';
  }
  if (typeof description !== 'string' || description.length > MAX_DESCRIPTION_CHARS) {
    return `.description is not text of at most ${MAX_DESCRIPTION_CHARS} characters`;
  }
  return isPlainObject(inputSchema)
    ? schemaProblem(inputSchema as JsonObject)
    : '.inputSchema is no JSON Schema object';
}

/** The reason why the provider would refuse a schema, and the turn with it; undefined: none. */
function schemaProblem(schema: JsonObject): string | undefined {
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS) {
    return `.inputSchema has more than ${MAX_SCHEMA_CHARS} characters`;
  }
  const fault = schemaFault(schema);
  if (fault !== undefined) return `.inputSchema is not valid: ${storableText(fault)}`;
  const { properties } = objectSchema(schema) ?? schema;
  const names = isPlainObject(properties) ? Object.keys(properties) : [];
  const odd = names.find((property) => !propertyName.test(property));
  return odd === undefined
    ? undefined
    : `.inputSchema has a property ${shown(odd)}, which is not 1 to 64 of a-z A-Z 0-9 _ . -`;
}

/** @param item an entry without a fault. */
function toTool(item: unknown): ClientTool {
  const { name, description, inputSchema } = item as ClientTool;
  return {
    name,
    description: storableText(description),
    // Request bodies are JSON, and so is this.
    inputSchema: storableJson(inputSchema) as JsonObject,
  };
}

function shown(text: string): string {
  return JSON.stringify(storableText(text.slice(0, 60)));
}
