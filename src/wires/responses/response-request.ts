import { invalidRequest } from '../../errors/typed-error.js';
import { parseOutput } from '../../output/schema-checks.js';
import { takeRequest } from '../../http/request.pipe.js';
import { isPlainObject } from '../../platform/json.js';
import { efforts } from '../../storage/shapes/stored-options.js';
import { parseClientTools } from '../../options/client-tools.js';
import { CreateResponseDto } from './responses.dto.js';
import { readItem, type InputItem } from './input-item.js';
import {
  parseResponseId,
  type ResponseName,
  type ReadField,
  type Terms,
} from './response-facts.js';
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
    throw badParam(
      'store',
      "'store' must be true for 'background': such a response is asked for later.",
    );
  }
  if (include === undefined || include === null) return;
  const wrong = Array.isArray(include)
    ? (include as unknown[]).find((one) => !includable.some((known) => known === one))
    : include;
  if (wrong === undefined) return;
  throw badParam(
    'include',
    `'include' may list ${includable.join(', ')}: the server has nothing else to add to a response.`,
  );
}

/** Tools of OpenAI's that the server has its own of: an agent has them, or has them not. */
const hostedHere = ['web_search', 'web_search_preview', 'web_search_2025_08_26'];

/**
 * The tools of a request: those of the client, and whether the model may call any. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for a tool that the server cannot offer.
 */
function readTools({
  tools,
  tool_choice: choice,
}: Pick<CreateResponseDto, 'tools' | 'tool_choice'>): ReadField {
  const isChosen = choice !== undefined && choice !== null;
  const isGiven = tools !== undefined && tools !== null;
  if (!isChosen && !isGiven) return {};
  const read = isGiven ? readList(tools) : undefined;
  const opts: Record<string, unknown> = { tools: choice === 'none' ? [] : undefined };
  if (read !== undefined) {
    opts['clientTools'] = read.clientTools.length === 0 ? undefined : read.clientTools;
  }
  return {
    opts,
    given: {
      ...(read?.takesApprovals === true ? { hidesApprovals: false } : {}),
      ...(isChosen ? { toolChoice: choice === 'none' ? 'none' : 'auto' } : {}),
      ...(read === undefined ? {} : { customTools: read.custom }),
    },
  };
}

function readList(tools: unknown) {
  if (!Array.isArray(tools)) throw badParam('tools', "'tools' must be a list");
  const list = tools as unknown[];
  const read = list.flatMap((tool, index) => readTool(tool, `tools[${index}]`));
  const parsed = parseClientTools(read.map(({ tool }) => tool));
  if ('fault' in parsed) {
    const fault = parsed.fault.replaceAll('inputSchema', 'parameters');
    throw badParam('tools', `'tools' must be ${fault}`);
  }
  const [odd] = parsed.odd;
  if (odd !== undefined) {
    const fault = `${odd.index}]${odd.fault}`.replaceAll('inputSchema', 'parameters');
    throw badParam('tools', `'tools' must be a list of valid tools; [${fault}`);
  }
  const custom = read.flatMap(({ tool, isCustom }) => (isCustom ? tool.name : []));
  return {
    clientTools: parsed.tools,
    custom: custom.filter((name) => typeof name === 'string'),
    takesApprovals: list.some(isOwnServer),
  };
}

/** A tool in the words of `opts.clientTools`, whose rules check it. */
interface ReadTool {
  tool: { name: unknown; description: unknown; inputSchema: unknown };
  isCustom: boolean;
}

function readTool(tool: unknown, field: string): ReadTool[] {
  const { type, name, description, parameters, format } = isPlainObject(tool) ? tool : {};
  switch (type) {
    case 'function': {
      const inputSchema = parameters ?? { type: 'object', properties: {} };
      return [{ tool: { name, description: description ?? '', inputSchema }, isCustom: false }];
    }
    case 'custom': {
      const about = [description, describeFormat(format, `${field}.format`)];
      const text = about.filter((one) => typeof one === 'string' && one !== '').join('\n\n');
      return [{ tool: { name, description: text, inputSchema: freeText }, isCustom: true }];
    }
    case 'mcp':
      if (isOwnServer(tool)) return [];
      throw badParam(
        `${field}.server_label`,
        `'${field}.server_label' must be turnpike, whose tools are those of the agent: other MCP servers are named in the agent's file, in the session or in the server's configuration`,
      );
    default:
      // The agent's file says whether the model may search: the request's offer adds nothing to that.
      if (typeof type === 'string' && hostedHere.includes(type)) return [];
      throw badParam(
        `${field}.type`,
        `'${field}.type' must be function, custom, mcp or web_search: this server does not run ${typeof type === 'string' ? type.slice(0, 60) : 'it'}; its own tools are those of the agent`,
      );
  }
}

/** The server's tools as an MCP server of its own: a client that names it takes approvals of their calls. */
function isOwnServer(tool: unknown): boolean {
  return isPlainObject(tool) && tool['type'] === 'mcp' && tool['server_label'] === 'turnpike';
}

/** The input of a tool that takes text of any form. */
const freeText = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as text.' } },
  required: ['input'],
  additionalProperties: false,
};

/** A grammar is told to the model; nothing holds it to that. */
function describeFormat(format: unknown, field: string): string | undefined {
  if (format === undefined || format === null) return undefined;
  const { type, syntax, definition } = isPlainObject(format) ? format : {};
  if (type === 'text') return undefined;
  if (type === 'grammar' && typeof syntax === 'string' && typeof definition === 'string') {
    return `The input follows this grammar (${syntax}):\n${definition}`;
  }
  throw badParam(
    field,
    `'${field}' must have the type text, or grammar with syntax and definition`,
  );
}
