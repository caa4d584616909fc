import type { ValidationOptions } from 'class-validator';
import { fieldsOf } from './class-fields.js';

/** The words for a wrong field, where its wire has no others. */
export interface FieldWords {
  /** Completes "must be …". */
  expected?: string;
  /** The whole sentence; `$field` is the field's name. */
  says?: string;
  /** The fields that an object may have. */
  known?: readonly string[];
  /** Pydantic's name of the fault, in place of its rule's. */
  pydantic?: string;
}

/** Validation options: what the field must be. */
export function mustBe(expected: string, pydantic?: string): ValidationOptions {
  const words: FieldWords = pydantic === undefined ? { expected } : { expected, pydantic };
  return { context: words };
}

/** Validation options: the sentence for a wrong field. */
export function says(text: string): ValidationOptions {
  return { context: { says: text } satisfies FieldWords };
}

/** Validation options: the fields that an object of the class may have. */
export function knownFieldsOf(type: abstract new () => object): ValidationOptions {
  return { context: { known: fieldsOf(type) } satisfies FieldWords };
}
