/**
 * The type of values that a JSON Schema describes: of objects, arrays, texts, numbers, constants and `anyOf`. Anything
 * else (`$ref`, `allOf`, conditions) is `unknown`. Properties that `required` does not name are optional.
 */
export type ObjectOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer One)[] }
      ? ObjectOf<One>
      : Schema extends { readonly type: readonly (infer Type)[] }
        ? OfType<Type, Schema>
        : Schema extends { readonly type: infer Type }
          ? OfType<Type, Schema>
          : unknown;

type OfType<Type, Schema> = Type extends keyof Plain
  ? Plain[Type]
  : Type extends 'array'
    ? (Schema extends { readonly items: infer Items } ? ObjectOf<Items> : unknown)[]
    : Type extends 'object'
      ? Schema extends { readonly properties: infer Properties }
        ? Flat<
            { [Name in keyof Properties & Required<Schema>]: ObjectOf<Properties[Name]> } & {
              [Name in Exclude<keyof Properties, Required<Schema>>]?: ObjectOf<Properties[Name]>;
            }
          >
        : Record<string, unknown>
      : unknown;

interface Plain {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

type Required<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

/** Merges an intersection into an object type, which editors can show. */
type Flat<T> = { -readonly [Name in keyof T]: T[Name] };
