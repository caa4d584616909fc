import { getSchemaPath } from '@nestjs/swagger';
import types from './api-types.json' with { type: 'json' };

/** Parts of schemas that several answers have, for `@ApiProperty`. */

/** Any JSON: OpenAPI has no type for it. */
export const anyJson = { anyOf: [{}] };

export const jsonObject = { type: 'object', additionalProperties: true } as const;

export const jsonObjects = { type: 'array', items: jsonObject } as const;

/** A whole number. */
export const whole = { type: 'integer' } as const;

export const nullableWhole = { ...whole, nullable: true } as const;

/** ISO-8601. */
export const time = { type: String, format: 'date-time' } as const;

export const nullableTime = { ...time, nullable: true } as const;

/** JSON Schema, of which Nest's types know a part. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Components of the API's document: `npm run docs` makes them of the source's types. */
export const typeSchemas: Readonly<Record<string, JsonSchema>> = types.schemas;

/** The schema of a type, for `@ApiProperty`. */
export function schemaOf(type: keyof typeof types.schemas) {
  return { allOf: [{ $ref: getSchemaPath(type) }] };
}

/** The schema of a list of a type, for `@ApiProperty`. */
export function listOf(type: keyof typeof types.schemas) {
  return { type: 'array', items: { $ref: getSchemaPath(type) } } as const;
}
