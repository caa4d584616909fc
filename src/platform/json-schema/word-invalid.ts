import type { ErrorObject } from 'ajv';
import { nearestName } from '../parsing/nearest-name.js';

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** What is wrong with a schema, by the errors of its meta-schema: the first of them, or a type that there is not. */
export function wordInvalid(
  schema: object,
  errors: readonly ErrorObject[],
): { message: string; pointer: string } {
  // The meta-schemas list the types, and nothing else.
  for (const { keyword, instancePath: pointer } of errors) {
    const type = keyword === 'enum' ? valueAt(schema, pointer) : undefined;
    if (typeof type !== 'string') continue;
    const near = nearestName(type, types);
    const hint = near === undefined ? `use ${types.join(', ')}` : `did you mean ${near}?`;
    const owner = pointer.replace(/\/type(\/\d+)?$/, '');
    const shown = JSON.stringify(type.slice(0, 60));
    return { message: `${placeOf(owner)}: type ${shown} is unknown; ${hint}`, pointer };
  }
  const [{ instancePath: pointer, message } = { instancePath: '', message: undefined }] = errors;
  return { message: `${placeOf(pointer)} ${message ?? 'is not valid'}`, pointer };
}

function placeOf(pointer: string): string {
  return pointer === '' ? 'its root' : pointer;
}

function valueAt(schema: object, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? Reflect.get(value, key.replaceAll('~1', '/').replaceAll('~0', '~'))
        : undefined,
    schema,
  );
}
