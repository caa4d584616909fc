import type { IncomingHttpHeaders } from 'node:http';
import { isDeepJson } from '../json.js';
import { refuse } from './wire-error.js';

/** The API's limit of a body. */
const MAX_BYTES = 32 * 1024 * 1024;

/** @throws a 413 for a body over 32 MB, a 400 for one that is not JSON or has half a surrogate pair */
export async function parseJsonBody(request: AsyncIterable<unknown>): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    // The rest is read as well: an early end would close the connection before the client has its 413.
    if (size <= MAX_BYTES) chunks.push(bytes);
  }
  if (size > MAX_BYTES) throw refuse('body-size', 'Request exceeds the maximum size of 32 MB.');
  return parseJsonText(Buffer.concat(chunks).toString('utf8'));
}

/** @throws a 400 as the API's parser, which is stricter than JavaScript's */
export function parseJsonText(text: string): unknown {
  const at = findLoneSurrogate(text);
  if (at >= 0) {
    throw refuse(
      'lone-surrogate',
      'The request body is not valid JSON: no low surrogate in string: ' +
        `line 1 column ${at + 1} (char ${at})`,
    );
  }
  if (isDeepJson(text)) throw refuse('body-json', 'The request body is nested too deeply');
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refuse('body-json', `The request body is not valid JSON: ${reason}`);
  }
}

/**
 * The index of an escape of half a surrogate pair in JSON, or -1. UTF-8 cannot carry a half in any
 * other way.
 */
function findLoneSurrogate(json: string): number {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return -1;
  const escapes = /\\(?:u([0-9a-fA-F]{4})|.)/gs;
  let open: { at: number; end: number } | undefined;
  for (let match = escapes.exec(json); match !== null; match = escapes.exec(json)) {
    const unit = Number.parseInt(match[1] ?? '0', 16);
    const isLow = unit >= 0xdc_00 && unit <= 0xdf_ff;
    const closes = isLow && open?.end === match.index;
    if (open && !closes) return open.at;
    if (isLow && !closes) return match.index;
    const isHigh = unit >= 0xd8_00 && unit <= 0xdb_ff;
    open = isHigh ? { at: match.index, end: escapes.lastIndex } : undefined;
  }
  return open ? open.at : -1;
}

const versions = ['2023-06-01', '2026-10-21'] as const;

/** The version and betas of a request, which decide how its body is validated. */
export interface WireContract {
  version: (typeof versions)[number];
  /** Values of `anthropic-beta`. */
  betas: ReadonlySet<string>;
}

/** The newest version, without betas. */
export const currentContract: WireContract = { version: '2026-10-21', betas: new Set() };

/** @throws a 401 without a key, a 400 without a version that exists */
export function parseHeaders(headers: IncomingHttpHeaders): WireContract {
  if (headers['x-api-key'] === undefined && headers.authorization === undefined) {
    throw refuse('api-key', 'x-api-key header is required');
  }
  const version = headers['anthropic-version'];
  if (version === undefined) {
    throw refuse('api-version', 'anthropic-version: header is required');
  }
  const known = versions.find((value) => value === version);
  if (known === undefined) {
    throw refuse('api-version', `anthropic-version: "${String(version)}" is not a valid version`);
  }
  const betas = String(headers['anthropic-beta'] ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');
  return { version: known, betas: new Set(betas) };
}
