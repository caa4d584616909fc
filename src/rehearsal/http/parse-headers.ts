import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from './wire-error.js';

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
