import { efforts } from '../../storage/shapes/stored-thinking.js';
import { readFile } from 'node:fs/promises';
import { errorCode } from '../../platform/error-code.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import type { ModelDescription } from './model-description.js';
import { lifecycles, thinkingKinds, type Model } from '../model.js';
import { compileInputCheck } from '../../platform/check-input.js';
import { ModelsInvalidError } from '../provider-errors.js';

const text = { type: 'string', minLength: 1, maxLength: 200 };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 1, maximum: 1_000_000_000 };
const dollars = { type: 'number', minimum: 0 };
const someOf = (values: readonly string[]): JsonObject => ({
  type: 'array',
  items: { enum: [...values] },
  uniqueItems: true,
});
const rates = {
  input: dollars,
  output: dollars,
  cacheWrite5m: dollars,
  cacheWrite1h: dollars,
  cacheRead: dollars,
};

/** The schema of each field of a model, but its id. */
const fieldSchemas: Record<Exclude<keyof Model, 'id'>, JsonObject> = {
  name: text,
  lifecycle: { enum: [...lifecycles] },
  retiresAt: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  replacement: text,
  contextWindow: count,
  maxOutput: count,
  thinking: someOf(thinkingKinds),
  thinksByDefault: { enum: ['always', 'on', 'off'] },
  efforts: someOf(efforts),
  effortsWithoutThinking: someOf(efforts),
  defaultEffort: { enum: [...efforts] },
  takesSystemMessages: flag,
  bindsThinking: flag,
  seesImages: flag,
  readsPdfs: flag,
  mostImages: { type: 'integer', minimum: 0, maximum: 100_000 },
  serverTools: {
    type: 'object',
    properties: { webSearch: flag, codeExecution: flag },
    required: ['webSearch', 'codeExecution'],
    additionalProperties: false,
  },
  cacheMinimum: count,
  tokenScale: { type: 'number', exclusiveMinimum: 0, maximum: 10 },
  price: {
    type: 'object',
    properties: {
      ...rates,
      longPrompt: {
        type: 'object',
        properties: { ...rates, above: count },
        required: ['input', 'output', 'above'],
        additionalProperties: false,
      },
    },
    required: ['input', 'output'],
    additionalProperties: false,
  },
};

const checkModel = compileInputCheck({
  type: 'object',
  properties: fieldSchemas,
  additionalProperties: false,
});

/**
 * Loads the operator's descriptions of models: a JSON file with an object of models by id, each with
 * the fields that differ.
 *
 * @param file undefined: no descriptions.
 * @throws ModelsInvalidError that names each model and field with a fault.
 */
export async function loadModels(file: string | undefined): Promise<ModelDescription[]> {
  if (file === undefined) return [];
  const given = await loadJson(file);
  if (!isPlainObject(given)) {
    throw new ModelsInvalidError(file, ['the file must be an object of models by id']);
  }
  const parsed = Object.entries(given).map(([id, fields]) => parseModel(id, fields));
  const problems = parsed.filter((model) => typeof model === 'string');
  if (problems.length > 0) throw new ModelsInvalidError(file, problems);
  return parsed.filter((model) => typeof model !== 'string');
}

/** @returns the description, or the text of its fault. */
function parseModel(id: string, fields: unknown): ModelDescription | string {
  if (!/^[\x21-\x7e]{1,200}$/.test(id)) {
    return `${JSON.stringify(id)} is no model's id: 1 to 200 characters without spaces`;
  }
  if (!isPlainObject(fields)) return `${id} must be an object with what differs of the model`;
  const checked = checkModel(fields);
  // The schema has the types of the fields.
  return checked.ok ? { ...(fields as Partial<Model>), id } : `${id}: ${checked.message}`;
}

async function loadJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const code = errorCode(error);
    if (code !== undefined) {
      throw new ModelsInvalidError(file, [`it cannot be read (${code}); check its path`]);
    }
    if (!(error instanceof SyntaxError)) throw error;
    throw new ModelsInvalidError(file, [`it is no JSON: ${error.message}`]);
  }
}
