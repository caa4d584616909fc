import { invalidRequest } from '../../errors/typed-error.js';
import { takeRequest } from '../../http/face.js';
import { parseOutput } from '../../tools/face.js';
import { compact, isPlainObject } from '../../platform/face.js';
import { efforts } from '../../storage/face.js';
import { CreateResponseDto } from './responses.dto.js';
import { readItem, type InputItem } from './input-item.js';
import { parseResponseId, type ResponseName, type EchoedRequest } from './response-description.js';
import { readTools, type ReadField } from './request-tools.js';
import { badField, badParam, responseNotFound } from './responses-errors.js';

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
  given: Partial<EchoedRequest>;
}

/**
 * Clients that take no approval as an item. The Agents SDK ends a run with an error, unless its agent names the server;
 * Codex shows nothing, and ends its turn.
 */
const takesNoApprovals = /^(Agents\/|codex)/i;

/**
 * @param userAgent the client, by its header.
 * @throws TypedError INVALID_REQUEST 400; TURN_NOT_FOUND 404 for the previous response.
 */
export async function readRequest(value: unknown, userAgent = ''): Promise<ResponseRequest> {
  if (!isPlainObject(value)) throw invalidRequest('The request body must be a JSON object');
  const body = await takeRequest(CreateResponseDto, value);
  checkSettings(body);
  const { previous_response_id: before, background, stream = false, service_tier: tier } = body;
  const { prompt_cache_retention: retention } = body;
  const previous = before === undefined ? undefined : parseResponseId(before);
  if (before !== undefined && previous === undefined) {
    throw responseNotFound(before, 'previous_response_id');
  }
  const fields: ReadField[] = [
    takesNoApprovals.test(userAgent) ? { given: { hidesApprovals: true } } : {},
    readReasoning(body.reasoning),
    readText(body.text),
    readTools(body),
    {
      opts: {
        ...compact({ maxTokens: body.max_output_tokens }),
        ...(tier === undefined ? {} : { priority: tier === 'flex' ? 'background' : undefined }),
        ...(background === undefined ? {} : { onDisconnect: background ? 'continue' : undefined }),
      },
      given: compact({
        maxOutputTokens: body.max_output_tokens,
        serviceTier: tier === 'auto' ? 'default' : tier,
        background,
        parallelToolCalls: body.parallel_tool_calls,
        store: body.store,
        instructions: body.instructions,
        metadata: body.metadata,
        user: body.user,
        safetyIdentifier: body.safety_identifier,
        promptCacheKey: body.prompt_cache_key,
        promptCacheRetention: retention === 'in-memory' ? 'in_memory' : retention,
        truncation: body.truncation,
        previousResponseId: before,
      }),
    },
  ];
  return {
    model: body.model,
    previous,
    isStream: stream,
    isBackground: background === true,
    items: readItems(body.input),
    opts: Object.assign({}, ...fields.map(({ opts = {} }) => opts)) as Record<string, unknown>,
    given: Object.assign({}, ...fields.map(({ given = {} }) => given)) as Partial<EchoedRequest>,
  };
}

function readItems(input: unknown): InputItem[] {
  if (typeof input === 'string') return [readItem({ role: 'user', content: input }, 'input')];
  if (Array.isArray(input) && input.length > 0) {
    return (input as unknown[]).map((item, index) => readItem(item, `input[${index}]`));
  }
  throw badField('input', 'must be a text, or a list of items that is not empty');
}

const summaries = ['auto', 'concise', 'detailed'];
const wantedEfforts = ['none', 'minimal', ...efforts];

/** `none` is no thinking; the least effort of models here is `low`. */
function readReasoning(reasoning: Record<string, unknown> | undefined): ReadField {
  if (reasoning === undefined) return {};
  const { effort: thought, summary: shown, generate_summary, context, ...more } = reasoning;
  const [unknown] = Object.keys(more);
  const isOther = [generate_summary, context].some((one) => one !== undefined && one !== null);
  if (unknown !== undefined || isOther) {
    throw badField('reasoning', 'has the fields effort and summary');
  }
  const effort = readChoice(thought, wantedEfforts, 'reasoning.effort');
  const summary = readChoice(shown, summaries, 'reasoning.summary');
  const given = { effort, summary };
  if (effort === null) return { opts: { thinking: undefined }, given };
  const display = summary === null ? {} : { display: 'summarized' };
  const thinking =
    effort === 'none' ? false : { effort: effort === 'minimal' ? 'low' : effort, ...display };
  return { opts: { thinking }, given };
}

/** A field that is one of some texts; null: it is left out. @throws TypedError INVALID_REQUEST 400. */
function readChoice<T extends string>(value: unknown, texts: readonly T[], field: string) {
  const chosen = texts.find((one) => one === value);
  if (chosen !== undefined) return chosen;
  if (value === undefined || value === null) return null;
  throw badField(field, `must be one of ${texts.join(', ')}`);
}

const verbosities = ['low', 'medium', 'high'] as const;

/** The format and the verbosity as they are given back, and the object that the turn is to end with. */
function readText(text: Record<string, unknown> | undefined): ReadField {
  if (text === undefined) return {};
  const { format = { type: 'text' } } = text;
  const verbosity = readChoice(text['verbosity'], verbosities, 'text.verbosity');
  const level = verbosity === null ? {} : { verbosity };
  const { type, schema } = isPlainObject(format) ? format : {};
  if (type === 'text') {
    return {
      opts: { output: undefined, citations: undefined },
      given: { format: { type }, ...level },
    };
  }
  if (type !== 'json_schema') {
    throw badField('text.format', 'must have the type text or json_schema');
  }
  const parsed = parseOutput({ schema });
  if ('fault' in parsed) {
    const fault = `'text.format' must have ${parsed.fault.replaceAll('output.', '')}`;
    throw badParam('text.format.schema', fault);
  }
  // An object has no citations: an agent that cites does not, in this turn.
  const opts = { output: parsed.output, citations: false };
  // The request body was JSON, so its objects are too.
  return { opts, given: { format: format as EchoedRequest['format'], ...level } };
}

/**
 * What `include` may name: parts of items that no response of this server has, and thinking, which the server keeps
 * with the conversation and sends to the model itself.
 */
const includable = [
  'reasoning.encrypted_content',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
];

/**
 * Refuses values that would change the meaning of a request, and that the server cannot give them.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
function checkSettings({ store, background, include }: CreateResponseDto): void {
  if (store === false && background === true) {
    throw badField(
      'store',
      "must not be false with 'background': a response in the background is fetched later, so it is stored.",
    );
  }
  if (include === undefined || include === null) return;
  const wrong = Array.isArray(include)
    ? (include as unknown[]).find((one) => !includable.some((known) => known === one))
    : include;
  if (wrong === undefined) return;
  throw badField(
    'include',
    `may list ${includable.join(', ')}: the server has nothing else to add to a response.`,
  );
}
