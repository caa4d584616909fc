import { getMetadataStorage } from 'class-validator';

/** Where the documentation's decorators keep what they say of a field. */
const DOCUMENTED = 'swagger/apiModelProperties';

/** Names of the validated fields of a class, its own before inherited ones. */
export function fieldsOf(type: abstract new () => object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

/** JSON schema of a field with a single value. */
export interface FieldSchema {
  type: 'integer' | 'boolean' | 'string';
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  description: string;
}

/** The schema of a field, as its decorators document it. */
export function schemaOf(type: abstract new () => object, field: string): FieldSchema {
  const documented: unknown = Reflect.getMetadata(DOCUMENTED, type.prototype as object, field);
  const {
    required: _required,
    isArray: _isArray,
    ...schema
  } = documented as FieldSchema & {
    required: boolean;
    isArray: boolean;
  };
  return schema;
}
