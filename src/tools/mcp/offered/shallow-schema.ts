import { compact } from '../../../platform/compact.js';
import { isPlainObject, type JsonObject, type JsonValue } from '../../../platform/json.js';

const mostProperties = 200;
const mostValues = 100;

/**
 * What is checked here of a schema that an MCP server gave, before a call goes to it: which
 * properties there are, which must be, and their types. The server checks the rest. To compile the
 * whole of it could take seconds, and to run it as long as its maker likes: references and regular
 * expressions that take exponential time are schemas too.
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
