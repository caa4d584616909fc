import type { WireContract } from '../http/parse-headers.js';
import { refuse } from '../http/wire-error.js';

const known = new Set([
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'thinking',
  'tool_choice',
  'tools',
]);

const sampling = ['temperature', 'top_p', 'top_k'];

/** Fields of betas, each with the betas that allow it. */
const betaFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['context_management', ['context-management-2025-06-27', 'compact-2026-01-12']],
  ['compaction', ['compact-2026-09-04']],
  ['mcp_servers', ['mcp-client-2025-11-20', 'mcp-client-2026-09-15']],
  ['fallbacks', ['server-side-fallback-2026-06-01', 'server-side-fallback-2026-07-01']],
  ['thread', ['message-threads-2026-08-12']],
]);

/** @throws a 400 for a parameter that the version does not have, or has only with a beta */
export function validateFields(body: Record<string, unknown>, contract: WireContract): void {
  for (const field of Object.keys(body)) {
    if (known.has(field)) continue;
    if (sampling.includes(field)) {
      if (contract.version === '2023-06-01') continue;
      throw extra('sampling', field);
    }
    const betas = betaFields.get(field);
    if (betas === undefined) throw extra('request-shape', field);
    if (!betas.some((beta) => contract.betas.has(beta))) throw extra('beta-field', field);
  }
}

function extra(rule: 'sampling' | 'request-shape' | 'beta-field', field: string): Error {
  return refuse(rule, `${field}: Extra inputs are not permitted`);
}
