import type { ValidationOptions } from 'class-validator';

/** The words for a wrong field, where its wire has no others. */
export interface FieldWords {
  /** Completes "must be …". */
  expected?: string;
  /** The whole sentence; `$field` is the field's name. */
  says?: string;
}

/** Validation options: what the field must be. */
export function mustBe(expected: string): ValidationOptions {
  return { context: { expected } satisfies FieldWords };
}

/** Validation options: the sentence for a wrong field. */
export function says(text: string): ValidationOptions {
  return { context: { says: text } satisfies FieldWords };
}
