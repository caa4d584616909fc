import type { TurnRow } from '../../turn/state/turn-lookup.js';
import type { StoredResponsesRequest } from '../../storage/shapes/stored-responses.js';
import type { ResponseFacts } from './dialect/response-object.js';
import type { ResponseWanted } from './dialect/responses-state.js';
import type { LinkedResponse } from './response-chain.js';

/** A response as its turn's row tells it, whatever of its events is there. Pure. */
export function describeWanted(
  turn: Pick<TurnRow, 'id' | 'createdAt' | 'options' | 'request'>,
  { id, answered }: LinkedResponse,
  previousId: string | null,
): ResponseWanted {
  const tools = turn.options.options.clientTools ?? [];
  return {
    facts: {
      id,
      object: 'response',
      created_at: Math.floor(turn.createdAt.getTime() / 1_000),
      previous_response_id: previousId,
      ...echo(turn.request.responses ?? noRequest(turn)),
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        name,
        description,
        parameters: inputSchema,
        strict: null,
      })),
      truncation: 'auto',
      parallel_tool_calls: true,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      temperature: 1,
      max_tool_calls: null,
      store: true,
    },
    turnKey: turn.id.replace(/^turn_/, ''),
    clientTools: tools.map(({ name }) => name),
    answered,
  };
}

function echo(
  stored: StoredResponsesRequest,
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
> {
  return {
    model: stored.model,
    instructions: stored.instructions,
    tool_choice: stored.toolChoice,
    text: { format: stored.format },
    reasoning: { effort: stored.effort, summary: stored.summary },
    max_output_tokens: stored.maxOutputTokens,
    background: stored.background,
    service_tier: stored.serviceTier,
    metadata: stored.metadata,
    user: stored.user,
    safety_identifier: stored.safetyIdentifier,
    prompt_cache_key: stored.promptCacheKey,
  };
}

/** A turn of another wire in a conversation of this one. */
function noRequest({ options }: Pick<TurnRow, 'options'>): StoredResponsesRequest {
  return {
    model: options.options.persona,
    previousResponseId: null,
    instructions: null,
    background: options.options.onDisconnect === 'continue',
    toolChoice: 'auto',
    format: { type: 'text' },
    effort: null,
    summary: null,
    maxOutputTokens: null,
    serviceTier: 'default',
    metadata: {},
    user: null,
    safetyIdentifier: null,
    promptCacheKey: null,
    input: [],
  };
}
