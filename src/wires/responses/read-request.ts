import { invalidRequest } from '../../errors/typed-error.js';
import { parseOutput } from '../../output/parse-output.js';
import { takeRequest } from '../../http/request.pipe.js';
import { isPlainObject } from '../../platform/json.js';
import { efforts } from '../../storage/shapes/stored-thinking.js';
import { checkSettings } from './check-settings.js';
import { CreateResponseDto } from './create-response.dto.js';
import { readItem, type InputItem } from './read-item.js';
import { readTools } from './read-tools.js';
import { parseResponseId, type ResponseName } from './response-name.js';
import type { ReadField, Terms } from './response-terms.js';
import { badParam, responseNotFound } from './responses-errors.js';

/** A request for a response. */
export interface ResponseRequest {
  /** Undefined: the agent or model of the previous response, or the server's. */
  model: string | undefined;
  previous: ResponseName | undefined;
  isStream: boolean;
  isBackground: boolean;
  items: readonly InputItem[];
  /**
   * Options of the turn, but for its model: those of fields that the request has. Undefined is a field that leaves the
   * option to the agent, where an earlier request had set it.
   */
  opts: Record<string, unknown>;
  /** What the response gives back of fields that the request has. */
  given: Partial<Terms>;
}

/** OpenAI's Agents SDK ends a run with an error at an approval of a server that its agent does not name. */
const needsServerNamed = /^Agents\//i;

/**
 * @param userAgent the client, by its header.
 * @throws TypedError INVALID_REQUEST 400; TURN_NOT_FOUND 404 for the previous response.
 */
export async function readRequest(value: unknown, userAgent = ''): Promise<ResponseRequest> {
  if (!isPlainObject(value)) throw invalidRequest('The request body must be a JSON object');
  const body = await takeRequest(CreateResponseDto, value);
  checkSettings(body);
  const { previous_response_id: before, background, stream = false } = body;
  const previous = before === undefined ? undefined : parseResponseId(before);
  if (before !== undefined && previous === undefined) {
    throw responseNotFound(before, 'previous_response_id');
  }
  const fields: ReadField[] = [
    needsServerNamed.test(userAgent) ? { given: { hidesApprovals: true } } : {},
    readReasoning(body.reasoning),
    readText(body.text),
    readTools(body),
    field(body.max_output_tokens, (most) => ({
      opts: { maxTokens: most },
      given: { maxOutputTokens: most },
    })),
    field(body.service_tier, (tier) => ({
      opts: { priority: tier === 'flex' ? 'background' : undefined },
      given: { serviceTier: tier === 'flex' ? 'flex' : 'default' },
    })),
    field(background, (isBackground) => ({
      opts: { onDisconnect: isBackground ? 'continue' : undefined },
      given: { background: isBackground },
    })),
    field(body.parallel_tool_calls, (parallel) => ({ given: { parallelToolCalls: parallel } })),
    field(body.store, (store) => ({ given: { store } })),
    field(body.instructions, (instructions) => ({ given: { instructions } })),
    field(body.metadata, (metadata) => ({ given: { metadata } })),
    field(body.user, (user) => ({ given: { user } })),
    field(body.safety_identifier, (id) => ({ given: { safetyIdentifier: id } })),
    field(body.prompt_cache_key, (key) => ({ given: { promptCacheKey: key } })),
    field(before, (id) => ({ given: { previousResponseId: id } })),
  ];
  return {
    model: body.model,
    previous,
    isStream: stream,
    isBackground: background === true,
    items: readItems(body.input),
    opts: Object.assign({}, ...fields.map(({ opts = {} }) => opts)) as Record<string, unknown>,
    given: Object.assign({}, ...fields.map(({ given = {} }) => given)) as Partial<Terms>,
  };
}

function field<T>(value: T | null | undefined, read: (value: T) => ReadField): ReadField {
  return value === undefined || value === null ? {} : read(value);
}

function readItems(input: unknown): InputItem[] {
  if (typeof input === 'string') return [readItem({ role: 'user', content: input }, 'input')];
  if (Array.isArray(input) && input.length > 0) {
    return (input as unknown[]).map((item, index) => readItem(item, `input[${index}]`));
  }
  throw badParam('input', "'input' must be a text, or a list of items that is not empty");
}

const summaries = ['auto', 'concise', 'detailed'];
const wantedEfforts = ['none', 'minimal', ...efforts];

/** `none` is no thinking; the least effort of models here is `low`. */
function readReasoning(reasoning: Record<string, unknown> | undefined): ReadField {
  if (reasoning === undefined) return {};
  const { effort = null, summary = null, generate_summary, context, ...more } = reasoning;
  const [unknown] = Object.keys(more);
  const isOther = [generate_summary, context].some((one) => one !== undefined && one !== null);
  if (unknown !== undefined || isOther) {
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
  const given = { effort, summary };
  if (effort === null) return { opts: { thinking: undefined }, given };
  const display = summary === null ? {} : { display: 'summarized' };
  const thinking =
    effort === 'none' ? false : { effort: effort === 'minimal' ? 'low' : effort, ...display };
  return { opts: { thinking }, given };
}

function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return typeof value === 'string' && values.some((one) => one === value);
}

const verbosities = ['low', 'medium', 'high'] as const;

/** The format and the verbosity as they are given back, and the object that the turn is to end with. */
function readText(text: Record<string, unknown> | undefined): ReadField {
  if (text === undefined) return {};
  const { format = { type: 'text' }, verbosity } = text;
  if (verbosity !== undefined && verbosity !== null && !isOneOf(verbosities, verbosity)) {
    throw badParam('text.verbosity', `'text.verbosity' must be one of ${verbosities.join(', ')}`);
  }
  const level = isOneOf(verbosities, verbosity) ? { verbosity } : {};
  const { type, schema } = isPlainObject(format) ? format : {};
  if (type === 'text') {
    return {
      opts: { output: undefined, citations: undefined },
      given: { format: { type }, ...level },
    };
  }
  if (type !== 'json_schema') {
    throw badParam('text.format', "'text.format' must have the type text or json_schema");
  }
  const parsed = parseOutput({ schema });
  if ('fault' in parsed) {
    const fault = `'text.format' must have ${parsed.fault.replaceAll('output.', '')}`;
    throw badParam('text.format.schema', fault);
  }
  // An object has no citations: an agent that cites does not, in this turn.
  const opts = { output: parsed.output, citations: false };
  // The request body was JSON, so its objects are too.
  return { opts, given: { format: format as Terms['format'], ...level } };
}
