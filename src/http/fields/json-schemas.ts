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

export const nullableText = { type: String, nullable: true } as const;
