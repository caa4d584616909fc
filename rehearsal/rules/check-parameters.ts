import type { WireContract } from '../http/read-request.js';
import { refuse } from '../http/wire-error.js';
import { requestSchema } from '../request-schema.js';
import type { MessagesRequest } from '../request-types.js';

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
export function checkFields(body: Record<string, unknown>, contract: WireContract): void {
  for (const field of Object.keys(body)) {
    if (Object.hasOwn(requestSchema.shape, field)) continue;
    if (sampling.includes(field)) {
      if (contract.version === '2023-06-01') continue;
      throw extra('sampling', field);
    }
    const betas = betaFields.get(field);
    if (betas === undefined) throw extra('request-shape', field);
    if (!betas.some((beta) => contract.betas.has(beta))) throw extra('beta-field', field);
  }
}

/** A field that a request may not have. */
export function extra(rule: 'sampling' | 'request-shape' | 'beta-field', field: string): Error {
  return refuse(rule, `${field}: Extra inputs are not permitted`);
}

/** Tools with a strict schema at most. */
const maxStrict = 20;

/**
 * Refuses parameters, each of which is valid, for what they are together.
 *
 * @throws a 400 that names the parameter
 */
export function checkParameters(body: MessagesRequest, contract: WireContract): void {
  if (body.max_tokens === 0 && body.stream === true) {
    throw refuse('request-shape', 'max_tokens: 0 cannot be streamed');
  }
  checkTools(body);
  checkDeferredTools(body);
  checkToolChoice(body);
  checkThinkingFields(body, contract);
}

function checkTools({ tools = [] }: MessagesRequest): void {
  if (new Set(tools.map(({ name }) => name)).size < tools.length) {
    throw refuse('tool-twice', 'tools: Tool names must be unique.');
  }
  const strict = tools.filter((tool) => tool.strict === true).length;
  if (strict <= maxStrict) return;
  throw refuse(
    'strict-tools',
    `Too many strict tools (${strict}). The maximum number of strict tools supported is ` +
      `${maxStrict}. Try reducing the number of tools marked as strict.`,
  );
}

function checkDeferredTools({ tools = [] }: MessagesRequest): void {
  const deferred = tools.filter((tool) => tool.defer_loading === true);
  if (deferred.length === 0) return;
  if (deferred.length === tools.length) {
    throw refuse('deferred-tools', 'tools: at least one tool must have defer_loading=false.');
  }
  const marked = tools.findIndex((tool) => tool.defer_loading === true && tool.cache_control);
  if (marked < 0) return;
  throw refuse(
    'deferred-tools',
    `tools.${marked}: cache_control cannot be set on a tool with defer_loading=true`,
  );
}

function checkToolChoice({ tool_choice: choice, tools = [] }: MessagesRequest): void {
  if (choice === undefined) return;
  if (tools.length === 0) {
    throw refuse('tool-choice', 'tool_choice may only be specified while providing tools.');
  }
  if (choice.type === 'tool' && !tools.some(({ name }) => name === choice.name)) {
    throw refuse('tool-choice', `Tool '${String(choice.name)}' not found in provided tools`);
  }
}

export const bindingBeta = 'thinking-binding-controls-2026-08-01';
const updatesBeta = 'thinking-display-updates-2026-08-18';

/** Fields of `thinking` that betas have. */
function checkThinkingFields({ thinking }: MessagesRequest, { betas }: WireContract): void {
  if (thinking?.type !== 'adaptive' && thinking?.type !== 'enabled') return;
  const path = `thinking.${thinking.type}`;
  const { block_binding: binding, display } = thinking;
  if (binding !== undefined && binding !== null && !betas.has(bindingBeta)) {
    throw extra('beta-field', `${path}.block_binding`);
  }
  if (display === 'updates' && !betas.has(updatesBeta)) {
    throw refuse('request-shape', `${path}.display: Input should be 'summarized' or 'omitted'`);
  }
}
