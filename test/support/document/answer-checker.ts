import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ApiDocument, Operation } from './api-document.js';

/** An answer as a client got it. */
export interface SeenAnswer {
  method: string;
  /** Path of the request, without its query. */
  path: string;
  status: number;
  /** Without parameters. */
  mediaType: string;
  body: string;
}

interface Route {
  pattern: RegExp;
  path: string;
  methods: Record<string, Operation>;
}

/** Holds answers against the API's document. */
export class AnswerChecker {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #routes: readonly Route[];

  constructor(document: ApiDocument) {
    this.#ajv.addSchema(closed(document) as object, 'api');
    // Paths with fewer parameters are more exact.
    this.#routes = Object.entries(document.paths)
      .map(([path, methods]) => ({ path, methods, pattern: patternOf(path) }))
      .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** @returns what the document does not say of the answer; undefined: it is as the document says. */
  faultOf({ method, path, status, mediaType, body }: SeenAnswer): string | undefined {
    const route = this.#routes.find(({ pattern }) => pattern.test(path));
    const operation = route?.methods[method.toLowerCase()];
    // Of a path without such an operation the document says nothing.
    if (route === undefined || operation === undefined) return undefined;
    const name = `${method} ${path} ${status} ${mediaType}`;
    const key = operation.responses[status] === undefined ? 'default' : String(status);
    if (operation.responses[key]?.content?.[mediaType] === undefined) {
      return `${name}: not in the document. ${body}`;
    }
    const keys = ['paths', route.path, method.toLowerCase(), 'responses', key];
    const pointer = [...keys, 'content', mediaType, 'schema'].map(escape).join('/');
    const matches = this.#ajv.getSchema(`api#/${pointer}`);
    void matches?.(JSON.parse(body));
    const errors = matches === undefined ? 'no schema' : matches.errors;
    return errors === null
      ? undefined
      : `${name}: ${this.#ajv.errorsText(errors as never)}. ${body}`;
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`, 'i');
}

/** A key of a JSON pointer in a URI. */
function escape(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The same with objects that have the described fields alone: clients ignore others, tests do not. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    // What a part of `allOf` leaves out, another one has.
    key === 'allOf' ? value : closed(value),
  ]);
  const isObject = 'properties' in schema && 'type' in schema;
  const isOpen = isObject && !('additionalProperties' in schema);
  return Object.fromEntries(isOpen ? [...entries, ['additionalProperties', false]] : entries);
}
