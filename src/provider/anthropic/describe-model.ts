import { isPlainObject } from '../../platform/json.js';
import type { ModelDescription } from '../models/model-description.js';
import { efforts, lifecycles, thinkingKinds } from '../models/model.js';

/** Ids are a part of addresses, and of rows. */
const modelId = /^[\x21-\x7e]{1,200}$/;

/**
 * What an entry of `GET /v1/models` says. A gateway's answer may lack any part of it: what is missing,
 * null or of another type is not said. Pure.
 *
 * @returns undefined for what is no entry.
 */
export function describeModel(info: unknown): ModelDescription | undefined {
  if (!isPlainObject(info)) return undefined;
  const { id, display_name: name, retires_at: retiresAt } = info;
  if (typeof id !== 'string' || !modelId.test(id)) return undefined;
  const lifecycle = lifecycles.find((one) => one === info['lifecycle']);
  const contextWindow = readCount(info['max_input_tokens']);
  const maxOutput = readCount(info['max_tokens']);
  return {
    id,
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(lifecycle === undefined ? {} : { lifecycle }),
    ...(typeof retiresAt === 'string' ? { retiresAt: retiresAt.slice(0, 10) } : {}),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...readCapabilities(info['capabilities']),
  };
}

function readCapabilities(given: unknown): Partial<ModelDescription> {
  if (!isPlainObject(given)) return {};
  const { thinking, effort, image_input: images, pdf_input: pdfs, server_tools: tools } = given;
  return {
    ...(isPlainObject(thinking) ? { thinking: supportedOf(thinkingKinds, thinking, 'types') } : {}),
    ...(isPlainObject(effort) ? { efforts: supportedOf(efforts, effort) } : {}),
    ...(isPlainObject(images) ? { seesImages: isSupported(images) } : {}),
    ...(isPlainObject(pdfs) ? { readsPdfs: isSupported(pdfs) } : {}),
    ...(isPlainObject(tools)
      ? {
          serverTools: {
            webSearch: isSupported(tools['web_search']),
            codeExecution: isSupported(tools['code_execution']),
          },
        }
      : {}),
  };
}

/** None of a capability that the model does not have, whatever its parts say. */
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

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
