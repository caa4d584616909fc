import { invalidRequest } from '../../errors/typed-error.js';
import { parseOutput } from '../../output/parse-output.js';
import { takeRequest } from '../../http/request.pipe.js';
import { parseClientTools } from '../../options/client-tools.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import type { ClientTool } from '../../storage/shapes/stored-options.js';
import type { StoredResponsesRequest } from '../../storage/shapes/stored-responses.js';
import { efforts } from '../../storage/shapes/stored-thinking.js';
import { checkSettings } from './check-settings.js';
import { CreateResponseDto } from './create-response.dto.js';
import { readInput, type ReadInput } from './read-input.js';
import { parseResponseId, type ResponseName } from './response-name.js';
import { badParam, responseNotFound } from './responses-errors.js';

/** A request for a response. */
export interface ResponseRequest {
  /** Undefined: the agent or model of the previous response, or the server's. */
  model: string | undefined;
  previous: ResponseName | undefined;
  isStream: boolean;
  isBackground: boolean;
  input: ReadInput;
  /** Options of the turn, but for its model. */
  opts: Record<string, unknown>;
  /** What the response gives back, but for its model. */
  stored: Omit<StoredResponsesRequest, 'model'>;
}

/** @throws TypedError INVALID_REQUEST 400; TURN_NOT_FOUND 404 for the previous response. */
export async function readRequest(value: unknown): Promise<ResponseRequest> {
  if (!isPlainObject(value)) throw invalidRequest('The request body must be a JSON object');
  const body = await takeRequest(CreateResponseDto, value);
  checkSettings(body);
  const { previous_response_id: before, background = false, stream = false } = body;
  const previous = before === undefined ? undefined : parseResponseId(before);
  if (before !== undefined && previous === undefined) {
    throw responseNotFound(before, 'previous_response_id');
  }
  const input = readInput(body.input, body.instructions);
  const toolChoice = body.tool_choice === 'none' ? 'none' : 'auto';
  const serviceTier = body.service_tier === 'flex' ? 'flex' : 'default';
  const { effort, summary, thinking } = readReasoning(body.reasoning);
  const clientTools = readTools(body.tools);
  const { format, output } = readFormat(body.text);
  return {
    model: body.model,
    previous,
    isStream: stream,
    isBackground: background,
    input,
    opts: compact({
      thinking,
      maxTokens: body.max_output_tokens,
      output,
      clientTools: toolChoice === 'none' || clientTools.length === 0 ? undefined : clientTools,
      tools: toolChoice === 'none' ? [] : undefined,
      priority: serviceTier === 'flex' ? 'background' : undefined,
      onDisconnect: background ? 'continue' : undefined,
    }),
    stored: {
      previousResponseId: before ?? null,
      instructions: body.instructions ?? null,
      background,
      toolChoice,
      format,
      effort,
      summary,
      maxOutputTokens: body.max_output_tokens ?? null,
      serviceTier,
      metadata: body.metadata ?? {},
      user: body.user ?? null,
      safetyIdentifier: body.safety_identifier ?? null,
      promptCacheKey: body.prompt_cache_key ?? null,
      input: input.type === 'message' ? input.kept : [],
    },
  };
}

const summaries = ['auto', 'concise', 'detailed'];
const wantedEfforts = ['none', 'minimal', ...efforts];

/** `none` is no thinking; the least effort of models here is `low`. */
function readReasoning(reasoning: Record<string, unknown> = {}) {
  const { effort = null, summary = null, generate_summary, ...more } = reasoning;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined || (generate_summary !== undefined && generate_summary !== null)) {
    throw badParam('reasoning', "'reasoning' has the fields effort and summary");
  }
  if (effort !== null && !isOneOf(wantedEfforts, effort)) {
    throw badParam(
      'reasoning.effort',
      `'reasoning.effort' must be one of ${wantedEfforts.join(', ')}`,
    );
  }
  if (summary !== null && !isOneOf(summaries, summary)) {
    throw badParam(
      'reasoning.summary',
      `'reasoning.summary' must be one of ${summaries.join(', ')}`,
    );
  }
  if (effort === null) return { effort, summary, thinking: undefined };
  const display = summary === null ? {} : { display: 'summarized' };
  const thinking =
    effort === 'none' ? false : { effort: effort === 'minimal' ? 'low' : effort, ...display };
  return { effort, summary, thinking };
}

function isOneOf(values: readonly string[], value: unknown): value is string {
  return typeof value === 'string' && values.includes(value);
}

/** The format as it is given back, and the object that the turn is to end with. */
function readFormat(text: Record<string, unknown> = {}): { format: JsonObject; output?: object } {
  const { format = { type: 'text' }, verbosity } = text;
  if (verbosity !== undefined && verbosity !== null && verbosity !== 'medium') {
    throw badParam(
      'text.verbosity',
      "'text.verbosity' must be medium or left out: ask for it in the message",
    );
  }
  const { type, schema } = isPlainObject(format) ? format : {};
  // The request body was JSON, so its objects are too.
  if (type === 'text') return { format: { type } };
  if (type !== 'json_schema') {
    throw badParam('text.format', "'text.format' must have the type text or json_schema");
  }
  const parsed = parseOutput({ schema });
  if ('fault' in parsed) {
    const fault = `'text.format' must have ${parsed.fault.replaceAll('output.', '')}`;
    throw badParam('text.format.schema', fault);
  }
  return { format: format as JsonObject, output: parsed.output };
}

function readTools(tools: unknown): ClientTool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw badParam('tools', "'tools' must be a list");
  const read = (tools as unknown[]).map((tool, index) => readTool(tool, `tools[${index}]`));
  const parsed = parseClientTools(read);
  if ('tools' in parsed) return parsed.tools;
  throw badParam(
    'tools',
    `'tools' must be ${parsed.fault.replaceAll('inputSchema', 'parameters')}`,
  );
}

/** A tool in the words of `opts.clientTools`, whose rules check it. */
function readTool(tool: unknown, field: string): object {
  const { type, name, description, parameters } = isPlainObject(tool) ? tool : {};
  if (type !== 'function') {
    throw badParam(
      `${field}.type`,
      `'${field}.type' must be function: the server's own tools are those of the agent`,
    );
  }
  return {
    name,
    description: description ?? '',
    inputSchema: parameters ?? { type: 'object', properties: {} },
  };
}
