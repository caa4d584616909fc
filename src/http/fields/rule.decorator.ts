import { ValidateBy, type ValidationOptions } from 'class-validator';

/** A rule of our own. @param name the rule's, for `word-faults.ts`. */
export function Rule(
  name: string,
  validate: (value: unknown) => boolean,
  words: ValidationOptions = {},
): PropertyDecorator {
  // The validator drops the words of a rule without a message.
  return ValidateBy({ name, validator: { validate, defaultMessage: () => name } }, words);
}
