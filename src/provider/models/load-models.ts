import * as z from 'zod/mini';
import { loadFile } from '../../parsing/load-file.js';
import { parseJson } from '../../parsing/parse-text.js';
import { parseValue } from '../../parsing/parse-value.js';
import type { ModelDescription } from './model-description.js';
import { modelShape } from './model-shape.js';

const fileShape = z.record(
  z
    .string()
    .check(z.regex(/^[\x21-\x7e]{1,200}$/, "is no model's id: 1 to 200 characters without spaces")),
  modelShape,
);

/**
 * Loads the operator's descriptions of models: a JSON file with an object of models by id, each with
 * the fields that differ.
 *
 * @param file undefined: no descriptions.
 * @throws FileInvalidError that names each model and field with a fault.
 */
export async function loadModels(file: string | undefined): Promise<ModelDescription[]> {
  if (file === undefined) return [];
  const models = await loadFile(file, {
    variable: 'TURNPIKE_MODELS',
    parseText: parseJson,
    check: (value) => parseValue(fileShape, value),
  });
  return Object.entries(models).map(([id, fields]) => ({ ...fields, id }));
}
