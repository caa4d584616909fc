import type { TurnRow } from '../../turn/state/turn-row.js';
import type { ClientTool } from '../../storage/shapes/stored-options.js';
import type { StoredResponsesRequest } from '../../storage/shapes/stored-responses.js';
import type { ResponseFacts, ResponseTool } from './dialect/response-object.js';
import type { ResponseWanted } from './dialect/responses-state.js';
import { defaultTerms } from './response-terms.js';
import type { LinkedResponse } from './response-chain.js';

/** A request for a response, and the client's tools that it had. */
export interface RequestTerms {
  request: Omit<StoredResponsesRequest, 'answers'>;
  tools: readonly ClientTool[];
}

/** A response as its turn's row tells it, whatever of its events is there. Pure. */
export function describeWanted(
  turn: Pick<TurnRow, 'id' | 'createdAt' | 'options' | 'request'>,
  response: LinkedResponse,
  previousId: string | null,
): ResponseWanted {
  const { request, tools } = termsOf(turn, response);
  const everyTool = [tools, ...(turn.request.responses?.answers ?? []).map((one) => one.tools)];
  const names = [...everyTool, firstTools(turn)].flat().map(({ name }) => name);
  const { customTools = [] } = request;
  return {
    facts: {
      id: response.id,
      object: 'response',
      created_at: Math.floor(turn.createdAt.getTime() / 1_000),
      previous_response_id: previousId,
      ...echo(request),
      tools: tools.map((tool) => describeTool(tool, customTools.includes(tool.name))),
      truncation: 'auto',
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      temperature: 1,
      max_tool_calls: null,
    },
    turnKey: turn.id.replace(/^turn_/, ''),
    clientTools: [...new Set(names)],
    customTools,
    hidesApprovals: request.hidesApprovals === true,
    answered: response.answered,
  };
}

/** The request that a response was made for: that of its turn, or the last one that changed its terms. Pure. */
export function termsOf(
  turn: Pick<TurnRow, 'options' | 'request'>,
  { answered, before = [] }: Pick<LinkedResponse, 'answered' | 'before'>,
): RequestTerms {
  const { answers = [], ...first } = turn.request.responses ?? noRequest(turn);
  const given = [...before, ...answered];
  const last = answers.findLast((one) => one.answered.some((id) => given.includes(id)));
  if (last !== undefined) return { request: last.request, tools: last.tools };
  return { request: first, tools: firstTools(turn) };
}

/** The tools that the turn began with: its options have those of the last request. */
function firstTools({ options, request }: Pick<TurnRow, 'options' | 'request'>): ClientTool[] {
  return request.responses?.firstTools ?? options.options.clientTools ?? [];
}

function describeTool(
  { name, description, inputSchema }: ClientTool,
  isCustom: boolean,
): ResponseTool {
  if (isCustom) return { type: 'custom', name, description, format: { type: 'text' } };
  return { type: 'function', name, description, parameters: inputSchema, strict: null };
}

function echo(
  stored: Omit<StoredResponsesRequest, 'answers'>,
): Pick<
  ResponseFacts,
  | 'model'
  | 'instructions'
  | 'tool_choice'
  | 'text'
  | 'reasoning'
  | 'max_output_tokens'
  | 'background'
  | 'service_tier'
  | 'metadata'
  | 'user'
  | 'safety_identifier'
  | 'prompt_cache_key'
  | 'parallel_tool_calls'
  | 'store'
> {
  const { format, verbosity, parallelToolCalls = true, store = true } = stored;
  return {
    model: stored.model,
    instructions: stored.instructions,
    tool_choice: stored.toolChoice,
    text: verbosity === undefined ? { format } : { format, verbosity },
    reasoning: { effort: stored.effort, summary: stored.summary },
    max_output_tokens: stored.maxOutputTokens,
    background: stored.background,
    service_tier: stored.serviceTier,
    metadata: stored.metadata,
    user: stored.user,
    safety_identifier: stored.safetyIdentifier,
    prompt_cache_key: stored.promptCacheKey,
    parallel_tool_calls: parallelToolCalls,
    store,
  };
}

/** A turn of another wire in a conversation of this one. */
function noRequest({ options }: Pick<TurnRow, 'options'>): StoredResponsesRequest {
  const { persona, onDisconnect } = options.options;
  const background = onDisconnect === 'continue';
  return { ...defaultTerms, model: persona, background, input: [] };
}
