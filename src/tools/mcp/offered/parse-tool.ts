import { isPlainObject, type JsonObject } from '../../../platform/json.js';
import { compileInputCheck, type InputCheck } from '../../../platform/check-input.js';
import { objectSchema } from '../../../platform/json-schema/object-schema.js';
import { schemaFault } from '../../../platform/json-schema/schema-fault.js';
import { shallowSchema } from './shallow-schema.js';

/** A tool of an MCP server, validated. */
export interface McpTool {
  /** The server's own name for it. */
  name: string;
  description: string;
  /** The schema that the model is shown. */
  inputSchema: JsonObject;
  checkInput: InputCheck;
  readOnly: boolean;
  idempotent: boolean;
}

/** Most characters of a schema, as JSON. */
const largestSchema = 65_536;
const longestName = 256;
const longestDescription = 4_096;
/** Property names that the model's provider takes. */
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Parses an entry of `tools/list`.
 *
 * @throws Error with the fault of the entry.
 */
export function parseTool(given: unknown): McpTool {
  const name = isPlainObject(given) ? given['name'] : undefined;
  if (!isPlainObject(given) || typeof name !== 'string' || name === '') {
    throw new Error('it has no name');
  }
  if (name.length > longestName) throw new Error('its name is too long');
  if (isPlainObject(given['execution']) && given['execution']['taskSupport'] === 'required') {
    throw new Error('it runs as a task only (execution.taskSupport), which is not supported');
  }
  // A tool without a schema takes any object, as one with an empty schema does.
  const schema = parseSchema(given['inputSchema'] ?? {});
  const annotations = isPlainObject(given['annotations']) ? given['annotations'] : {};
  const description = typeof given['description'] === 'string' ? given['description'] : '';
  return {
    name,
    description: description.slice(0, longestDescription),
    inputSchema: schema,
    checkInput: compileInputCheck(shallowSchema(schema)),
    readOnly: annotations['readOnlyHint'] === true,
    idempotent: annotations['idempotentHint'] === true,
  };
}

/** A name for an entry in messages, also when the entry is not valid. */
export function nameOfEntry(given: unknown): string {
  const name = isPlainObject(given) ? given['name'] : undefined;
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 60)) : 'without a name';
}

/** The schema as providers of models take it: with the properties at its root, and no choices there. */
function parseSchema(given: unknown): JsonObject {
  if (!isPlainObject(given)) throw new Error('its input schema is no object');
  // The value was parsed from JSON.
  const schema = given as JsonObject;
  if (JSON.stringify(schema).length > largestSchema) {
    throw new Error(`its input schema has more than ${largestSchema} characters`);
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
  if (JSON.stringify(shown).length > 2 * largestSchema) {
    throw new Error(`its input schema has more than ${largestSchema} characters`);
  }
  return shown;
}
