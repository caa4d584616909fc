import { isPlainObject } from '../../platform/json.js';

/** Values that are of the servers and their tools, and nothing of the protocol. */
const payloads = ['structuredContent', 'input', 'data', 'experimental', 'extensions', 'metadata'];
/** Schemas: a null in them may be a value. */
const schemas = ['inputSchema', 'outputSchema', 'requestedSchema'];
/** Keywords of a schema whose values are of any kind. */
const values = ['default', 'const', 'enum', 'examples', 'example'];
/** Keywords of a schema that are maps by free names. */
const named = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/**
 * A message of JSON-RPC in which a field that is null is not there: the protocol has no field that may be null, and the
 * libraries of many servers print null for a field without a value. What is of a tool stays as it is: input, structured
 * content, the values of `_meta`, the default values of a schema. A result that is null is an empty one.
 */
export function withoutNulls(message: unknown): unknown {
  if (!isPlainObject(message) || !('jsonrpc' in message)) return message;
  const { id, result, error } = message;
  const isEmpty = result === null && (error ?? null) === null && !('method' in message);
  return {
    ...strip({ ...message, ...(isEmpty && { result: {} }) }),
    // An error of no request has this id.
    ...(id === null && { id }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function strip(fields: Fields): Record<string, unknown> {
  const kept = Object.entries(fields).filter(([name, value]) => value !== null || name === 'data');
  return Object.fromEntries(kept.map(([name, value]) => [name, stripField(name, value)]));
}

function stripField(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => stripField(name, item));
  if (!isPlainObject(value) || payloads.includes(name)) return value;
  if (schemas.includes(name)) return stripSchema(value);
  if (name === '_meta') return stripMeta(value);
  // Of a call it is the tool's own; a prompt has a list of them.
  return name === 'arguments' && !('name' in value) ? value : strip(value);
}

/** The protocol's own field of `_meta`. */
function stripMeta({ progressToken, ...own }: Fields): Fields {
  return (progressToken ?? null) === null ? own : { ...own, progressToken };
}

function stripSchema(schema: Fields): Record<string, unknown> {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => value !== null || values.includes(keyword),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (values.includes(keyword)) return [keyword, value];
      const isMap = named.includes(keyword) && isPlainObject(value);
      return [keyword, isMap ? stripMap(value) : stripPart(value)];
    }),
  );
}

function stripMap(map: Fields): Record<string, unknown> {
  const kept = Object.entries(map).filter(([, schema]) => schema !== null);
  return Object.fromEntries(kept.map(([name, schema]) => [name, stripPart(schema)]));
}

function stripPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(stripPart);
  return isPlainObject(part) ? stripSchema(part) : part;
}
