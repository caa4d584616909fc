/**
 * Schemas that are made of types: what the API's document says of streams, with recorded ones, and what an import
 * takes for a row.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import { options, root } from './declare/compiler.mjs';
import { writeOutTypes } from './declare/write-out-types.mjs';

/** Wires, by the folders of `test/golden` that have their recordings. */
const wires = ['harness', 'holodeck', 'oracle', 'ag-ui', 'ai-sdk', 'responses'];
const recordings = { 'think-read-answer': 'A turn that thinks, reads a file and answers' };

/** @returns {string} JSON: `schemas`, components of OpenAPI by name, and `examples` by wire and name. */
export function describeTypes() {
  const { JsonValue: _recursive, ...schemas } = generate('api-types').definitions;
  // Makers of types cannot follow a type that is nothing but itself.
  schemas.JsonObject.additionalProperties = true;
  for (const { properties = {}, ...rest } of Object.values(schemas)) {
    for (const part of [...Object.values(properties), ...Object.values(rest)]) sort(part);
  }
  const examples = Object.fromEntries(wires.map(readExamples));
  const text = JSON.stringify({ schemas, examples }, null, 2);
  return `${text.replaceAll('"#/definitions/', '"#/components/schemas/')}\n`;
}

/** @returns {string} JSON: the schemas of stored rows by the type of their lines in exports, and what they refer to. */
export function describeRows() {
  const { definitions } = generate('stored-types');
  sort(definitions);
  const { Price: _prices, ...counted } = definitions;
  countWhole(counted);
  return `${JSON.stringify({ definitions: discriminate(definitions) }, null, 1)}\n`;
}

/** Counts, whose type says no more than that they are numbers. */
const counts =
  /^(\w+Tokens|webSearches|tokenBudget|\w+Percent|timeoutSeconds|max(Iterations|ToolCallsPerTurn|ParallelTools))$/;

/** Counts are whole numbers, in place. */
function countWhole(schema) {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, part] of Object.entries(schema)) {
    if (counts.test(name) && part.type === 'number') part.type = 'integer';
    countWhole(part);
  }
}

/** One of several objects is chosen by its `type`, so that a fault is that of the right one. Comments are left out. */
function discriminate(given) {
  if (Array.isArray(given)) return given.map(discriminate);
  if (typeof given !== 'object' || given === null) return given;
  const { description: _comment, ...rest } = given;
  const isText = typeof _comment === 'string';
  const schema = Object.fromEntries(
    Object.entries(isText ? rest : given).map(([key, value]) => [key, discriminate(value)]),
  );
  const { anyOf, required, properties, ...more } = schema;
  // JSON leaves out a field that is undefined, which one of an unknown type may be.
  const isKnown = (name) => Object.keys(properties[name]).length > 0;
  if (Array.isArray(required)) schema.required = required.filter(isKnown);
  const types = (anyOf ?? []).map((member) => member.properties?.type?.const);
  if (types.length < 2 || types.some((type) => type === undefined)) return schema;
  const discriminator = { propertyName: 'type' };
  return { ...more, type: 'object', required: ['type'], discriminator, oneOf: anyOf };
}

/** The schemas of a module of types. The generator takes types without operators, as clients get them. */
function generate(name) {
  const folder = path.join(root, 'node_modules/.cache/turnpike');
  const file = path.join(folder, `${name}.ts`);
  const types = writeOutTypes(path.join(root, `scripts/declare/${name}.ts`), options);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, types.replaceAll(/^((?:\/\*\*.*\*\/\n)?)type /gm, '$1export type '));
  const generator = createGenerator({
    path: file,
    skipTypeCheck: true,
    // Newer servers add fields.
    additionalProperties: true,
    encodeRefs: false,
  });
  return generator.createSchema('*');
}

/**
 * Sorts what has no order in a type, in place: the compiler orders fields and members of unions by when it met
 * them, which a change anywhere may change.
 */
function sort(schema) {
  if (typeof schema !== 'object' || schema === null) return;
  for (const part of Object.values(schema)) sort(part);
  if (Array.isArray(schema)) {
    schema.sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
    return;
  }
  const { type, properties } = schema;
  // Makers of types take an object without fields for one that has none.
  if (type === 'object' && properties === undefined) schema.additionalProperties ??= true;
  if (properties === undefined) return;
  schema.properties = Object.fromEntries(
    Object.entries(properties).toSorted(([a], [b]) => compare(a, b)),
  );
}

/** @param {string} a @param {string} b */
function compare(a, b) {
  return a < b ? -1 : Number(a > b);
}

/** @param {string} wire */
function readExamples(wire) {
  const examples = Object.entries(recordings).map(([name, summary]) => {
    const file = path.join(root, 'test/golden', wire, `${name}.txt`);
    return [name, { summary, value: readFileSync(file, 'utf8') }];
  });
  return [wire, Object.fromEntries(examples)];
}
