/**
 * The types of the Python client, from the API's document: a `TypedDict` for each object that its calls take or
 * return, and one for each event of a turn.
 */

/** The names of the types that the client's calls use, and those of the document. */
const named = {
  SessionRecord: 'SessionRecordDto',
  ListedSession: 'ListedSessionDto',
  Message: 'MessageDto',
  TurnRecord: 'TurnRecordDto',
  TurnOptions: 'TurnOptionsDto',
  Approval: 'ListedApprovalDto',
  AwaitedApproval: 'AwaitedApprovalDto',
  UploadedFile: 'UploadedFileDto',
};

const plain = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

/**
 * @param {Record<string, object>} schemas the document's, by name.
 * @returns {string} a module of Python.
 */
export function describePython(schemas) {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  /** Classes in the order they are written: those that others use come first. */
  const classes = new Map();
  const frames = Object.entries(schemas['HarnessFrames'].properties);
  for (const schema of names.keys()) classOf(schema);
  const events = frames.map(([event, schema]) => {
    const name = `${pascal(event)}Event`;
    const data = typeOf(schema, `${pascal(event)}Data`);
    const fields = { event: literal([event]), id: 'str', data };
    classes.set(name, typedDict(name, Object.entries(fields)));
    return name;
  });
  return [
    '"""The objects of the API. Generated from its document: `npm run docs` writes this file."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union',
    '',
    ...classes.values(),
    `HarnessEvent = Union[\n${events.map((name) => `    ${name},\n`).join('')}]`,
    '"""An event of a turn. A newer server may send others; those of subagents have the prefix `subagent:`."""',
    '',
  ].join('\n');

  function classOf(schema) {
    const name = names.get(schema) ?? schema.replace(/Dto$/, '');
    if (classes.has(name)) return name;
    // Before its fields, which may be of the same class.
    classes.set(name, '');
    const type = typeOf(schemas[schema], name);
    if (type !== name) classes.set(name, `${name}: TypeAlias = "${type.replaceAll('"', "'")}"\n`);
    return name;
  }

  function typeOf(schema, name) {
    const { $ref, anyOf, allOf, oneOf, const: value, enum: values, type } = schema;
    if ($ref !== undefined) return refType($ref);
    if (allOf?.length === 1) return typeOf(allOf[0], name);
    const choices = anyOf ?? oneOf;
    if (choices !== undefined)
      return union(choices.map((one, index) => typeOf(one, `${name}${index + 1}`)));
    if (value !== undefined) return literal([value]);
    if (values !== undefined) return literal(values);
    if (Array.isArray(type))
      return union(type.map((one) => typeOf({ ...schema, type: one }, name)));
    if (type === 'array')
      return `list[${schema.items === undefined ? 'Any' : typeOf(schema.items, `${name}Item`)}]`;
    if (type === 'object' || schema.properties !== undefined) return objectType(schema, name);
    return plain[type] ?? 'Any';
  }

  function objectType({ properties, required = [], additionalProperties }, name) {
    if (properties === undefined) {
      const values =
        typeof additionalProperties === 'object'
          ? typeOf(additionalProperties, `${name}Value`)
          : 'Any';
      return `dict[str, ${values}]`;
    }
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = typeOf(schema, name + pascal(field));
      return [field, required.includes(field) ? type : `NotRequired[${type}]`];
    });
    classes.set(name, typedDict(name, fields));
    return name;
  }

  function refType($ref) {
    const [schema, , ...path] = $ref.replace('#/components/schemas/', '').split('/');
    const [field] = path;
    if (field === undefined) return classOf(schema);
    return typeOf(schemas[schema].properties[field], `${pascal(field)}Data`);
  }
}

/** Words that no class of Python can have as a field. */
const keywords = new Set([
  'and',
  'as',
  'class',
  'def',
  'from',
  'global',
  'if',
  'import',
  'in',
  'is',
  'not',
  'or',
  'with',
]);

/** A `TypedDict`. One with a field that is no name of Python is written as a call. */
function typedDict(name, fields) {
  const isClass = fields.every(([field]) => /^[A-Za-z_]\w*$/.test(field) && !keywords.has(field));
  if (isClass) {
    return `class ${name}(TypedDict):\n${fields.map(([field, type]) => `    ${field}: ${type}\n`).join('')}\n`;
  }
  const pairs = fields.map(([field, type]) => `    "${field}": '${type}',\n`);
  return `${name} = TypedDict(\n    "${name}",\n    {\n${pairs.map((pair) => `    ${pair}`).join('')}    },\n)\n`;
}

function literal(values) {
  const texts = { null: 'None', true: 'True', false: 'False' };
  return `Literal[${values.map((value) => texts[value] ?? JSON.stringify(value)).join(', ')}]`;
}

function union(types) {
  const distinct = [...new Set(types)];
  if (distinct.includes('Any')) return 'Any';
  return distinct.length === 1 ? distinct[0] : `Union[${distinct.join(', ')}]`;
}

/** `chat:delta` → `ChatDelta`. */
function pascal(text) {
  return text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, first) => first.toUpperCase());
}
