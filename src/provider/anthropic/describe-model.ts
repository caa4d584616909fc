import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import type { ModelDescription } from '../model-catalogue.js';
import { efforts } from '../../storage/shapes/stored-options.js';
import { lifecycles, thinkingKinds } from '../model.js';
import { asApiAnswer } from './sdk-error.js';

/** The ids that are safe in URLs and rows. */
const modelId = /^[\x21-\x7e]{1,200}$/;

/**
 * Parses an entry of `GET /v1/models`. A gateway's answer may lack any field: one that is missing,
 * null or of another type is left out. Pure.
 *
 * @returns undefined for a value that is no entry.
 */
export function describeModel(info: unknown): ModelDescription | undefined {
  if (!isPlainObject(info)) return undefined;
  const { id, display_name: name, retires_at: retiresAt } = info;
  if (typeof id !== 'string' || !modelId.test(id)) return undefined;
  const lifecycle = lifecycles.find((known) => known === info['lifecycle']);
  const contextWindow = parseCount(info['max_input_tokens']);
  const maxOutput = parseCount(info['max_tokens']);
  return {
    ...compact({
      id,
      name: typeof name === 'string' && name !== '' ? name : undefined,
      lifecycle,
      retiresAt: typeof retiresAt === 'string' ? retiresAt.slice(0, 10) : undefined,
      contextWindow,
      maxOutput,
    }),
    ...parseCapabilities(info['capabilities']),
  };
}

function parseCapabilities(capabilities: unknown): Partial<ModelDescription> {
  if (!isPlainObject(capabilities)) return {};
  const {
    thinking,
    effort,
    image_input: images,
    pdf_input: pdfs,
    server_tools: tools,
  } = capabilities;
  const { structured_outputs: structured } = capabilities;
  return compact({
    thinking: isPlainObject(thinking) ? supportedOf(thinkingKinds, thinking, 'types') : undefined,
    efforts: isPlainObject(effort) ? supportedOf(efforts, effort) : undefined,
    seesImages: isPlainObject(images) ? isSupported(images) : undefined,
    readsPdfs: isPlainObject(pdfs) ? isSupported(pdfs) : undefined,
    structuredOutputs: isPlainObject(structured) ? isSupported(structured) : undefined,
    serverTools: isPlainObject(tools)
      ? {
          webSearch: isSupported(tools['web_search']),
          codeExecution: isSupported(tools['code_execution']),
        }
      : undefined,
  });
}

/** The supported parts of a capability; none where the capability itself is not supported. */
function supportedOf<T extends string>(
  names: readonly T[],
  capability: Record<string, unknown>,
  part?: string,
): T[] {
  if (!isSupported(capability)) return [];
  const parts = part === undefined ? capability : capability[part];
  return isPlainObject(parts) ? names.filter((name) => isSupported(parts[name])) : [];
}

function isSupported(value: unknown): boolean {
  return isPlainObject(value) && value['supported'] === true;
}

function parseCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** Statuses of a server for a route that it does not have. */
const noRoute: readonly (number | undefined)[] = [404, 405, 501];

/**
 * Whether an error says that the server has no Models API. The API's 404 for a model names the model;
 * a gateway's 404 for a route does not. Pure.
 *
 * @param model the model asked for; absent for a list.
 */
export function lacksRoute(error: unknown, model?: string): boolean {
  if (!noRoute.includes(asApiAnswer(error)?.status)) return false;
  return model === undefined || !deniesModel(error, model);
}

/** Whether an error says that the provider does not have the model. Pure. */
export function deniesModel(error: unknown, model: string): boolean {
  const answer = asApiAnswer(error);
  return (
    answer?.status === 404 &&
    answer.type === 'not_found_error' &&
    namesModel(answer.apiMessage ?? answer.message, model)
  );
}

/** Whether a text has the name by itself, not at the end of a route as `/v1/models/claude-x`. */
function namesModel(text: string, model: string): boolean {
  const at = text.indexOf(model);
  return at >= 0 && text[at - 1] !== '/';
}
