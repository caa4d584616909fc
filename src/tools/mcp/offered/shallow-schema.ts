import { compact } from '../../../platform/compact.js';
import { isPlainObject, type JsonObject, type JsonValue } from '../../../platform/json.js';

const mostProperties = 200;
const mostValues = 100;

/**
 * The part of an MCP server's schema that is checked before a call: its properties, which are required,
 * and their types. The server checks the rest. Compiling the whole schema could take seconds, and
 * validating with it unbounded time: schemas may have recursive references and regular expressions that
 * backtrack.
 */
export function shallowSchema(schema: JsonObject): JsonObject {
  const { properties: given, required, patternProperties, additionalProperties } = schema;
  const entries = isPlainObject(given) ? Object.entries(given) : [];
  const known = entries.length <= mostProperties;
  const isClosed = known && additionalProperties === false && patternProperties === undefined;
  return {
    type: 'object',
    properties: known
      ? Object.fromEntries(entries.map(([name, below]) => [name, shallowProperty(below)]))
      : {},
    ...compact({
      required: Array.isArray(required) && required.length <= mostProperties ? required : undefined,
      additionalProperties: isClosed ? false : undefined,
    }),
  };
}

function shallowProperty(below: JsonValue): JsonObject {
  if (!isPlainObject(below)) return {};
  const { type, enum: values } = below;
  const isShort = Array.isArray(values) && values.length <= mostValues && values.every(isScalar);
  return compact({ type, enum: isShort ? values : undefined });
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}
