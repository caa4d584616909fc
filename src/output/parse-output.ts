import { isPlainObject, type JsonObject } from '../platform/json.js';
import type { OutputTerms } from '../storage/shapes/stored-options.js';
import { storableJson } from '../storage/connection.js';
import { hasDeepPattern } from '../platform/json-schema/references.js';
import { findSchemaFault } from '../platform/json-schema/schema-fault.js';

/** Most characters of a schema as JSON: it is stored with the turn, and sent with each of its calls. */
const largestSchema = 32_768;
/** Groups of a pattern inside of each other: the engine aborts the process at a few thousand. */
const mostGroups = 100;
const mostRepairs = 5;
const standardRepairs = 1;

export const outputExpected = `an object of schema, a JSON Schema of an object in at most ${largestSchema} characters, and repairs, a whole number from 0 to ${mostRepairs}`;

/** A fault that completes "must be …", and the JSON pointer to its place in `opts.output`. */
export interface OutputFault {
  fault: string;
  pointer: string;
}

/**
 * Parses `opts.output`. The schema is one of draft 2020-12, or of draft 7 where `$schema` says so, and
 * refers to nothing outside. `format` is taken and not checked, as both drafts have it.
 */
export function parseOutput(value: unknown): { output: OutputTerms } | OutputFault {
  if (!isPlainObject(value)) return { fault: outputExpected, pointer: '' };
  const { schema, repairs = standardRepairs, ...others } = value;
  const [odd] = Object.keys(others);
  if (odd !== undefined) return wrong('', `it has a field ${JSON.stringify(odd.slice(0, 60))}`);
  if (!isRepairs(repairs)) return wrong('/repairs', 'repairs is not such a number');
  if (!isPlainObject(schema)) return wrong('/schema', 'schema is no object');
  // Request bodies and agents' files are JSON, and so is what can be stored of them.
  const storable = storableJson(schema) as JsonObject;
  if (JSON.stringify(storable).length > largestSchema) {
    return wrong('/schema', `schema has more than ${largestSchema} characters`);
  }
  if ('$async' in storable) return wrong('/schema/$async', 'schema has $async');
  const fault = findSchemaFault(storable);
  if (fault !== undefined) {
    return wrong(`/schema${fault.pointer}`, `schema is not valid: ${fault.message}`);
  }
  if (hasDeepPattern(storable, mostGroups)) {
    return wrong('/schema', `a pattern has more than ${mostGroups} groups inside of each other`);
  }
  return { output: { schema: storable, repairs } };
}

function isRepairs(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostRepairs;
}

function wrong(pointer: string, what: string): OutputFault {
  return { fault: `${outputExpected}; ${what}`, pointer };
}
