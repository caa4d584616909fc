import { fileURLToPath } from 'node:url';
import { Ajv, type AnySchemaObject } from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';

/** Kubernetes drops a field that it does not know, or refuses it: here it is a fault. */
const generated = createGenerator({
  path: fileURLToPath(new URL('./kubernetes-objects.ts', import.meta.url)),
  tsconfig: fileURLToPath(new URL('../../../tsconfig.json', import.meta.url)),
  type: 'KubernetesObjects',
  additionalProperties: false,
  skipTypeCheck: true,
  encodeRefs: false,
}).createSchema('KubernetesObjects');

const ajv = new Ajv({ allErrors: true, strict: false });
// The two packages' types of a schema differ in what may be undefined.
ajv.addSchema(JSON.parse(JSON.stringify(generated)) as AnySchemaObject, 'objects');

/** What of an object its kind does not take, by path; an unknown kind is a fault of its own. */
export function findObjectFaults(object: { kind: string }): string[] {
  const check = ajv.getSchema(`objects#/definitions/KubernetesObjects/properties/${object.kind}`);
  if (check === undefined) return [`${object.kind} is no known kind`];
  // The schema is not an asynchronous one: `check` has answered when it returns.
  if (check(object) === true) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
