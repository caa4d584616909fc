/**
 * The parts of Standard Schema 1.1 (https://standardschema.dev) that are used here; its authors advise to copy them. Zod,
 * Valibot, ArkType and others make such schemas.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    /** Makes JSON Schema. A vendor may have none. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema's values are once they were parsed. */
export type OutputOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types };
}
  ? Exclude<Types, undefined> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Record<string, unknown>;
