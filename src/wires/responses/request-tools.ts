import { nameInNamespace, parseClientTools } from '../../options/face.js';
import { compact, isPlainObject } from '../../platform/face.js';
import { storableText, type StoredNamespace } from '../../storage/face.js';
import type { EchoedRequest } from './response-description.js';
import type { CreateResponseDto } from './responses.dto.js';
import { badField, badParam } from './responses-errors.js';

/** What a field of the request means: options of the turn, and what the response gives back of it. */
export interface ReadField {
  opts?: Record<string, unknown>;
  given?: Partial<EchoedRequest>;
}

/** Tools of OpenAI's that the server has its own of: an agent has them, or has them not. */
const hostedHere = ['web_search', 'web_search_preview', 'web_search_2025_08_26'];

/**
 * The tools of a request: those of the client, and whether the model may call any. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for a tool that the server cannot offer.
 */
export function readTools({ tools, tool_choice: choice }: CreateResponseDto): ReadField {
  const isGiven = tools !== undefined && tools !== null;
  if (choice === undefined && !isGiven) return {};
  const read = isGiven ? readList(tools) : undefined;
  const none = { tools: choice === 'none' ? [] : undefined };
  return {
    opts: read === undefined ? none : { ...none, clientTools: read.clientTools },
    given: {
      ...(read?.takesApprovals === true ? { hidesApprovals: false } : {}),
      ...compact({ toolChoice: choice, customTools: read?.custom }),
      ...(read === undefined ? {} : { namespaces: read.namespaces }),
    },
  };
}

function readList(tools: unknown) {
  if (!Array.isArray(tools)) throw badField('tools', 'must be a list');
  const list = tools as unknown[];
  const read = list.flatMap((tool, index) => readTool(tool, `tools[${index}]`));
  const parsed = parseClientTools(read.map(({ tool }) => tool));
  if ('fault' in parsed) {
    const fault = parsed.fault.replaceAll('inputSchema', 'parameters');
    throw badField('tools', `must be ${fault}`);
  }
  const [odd] = parsed.odd;
  if (odd !== undefined) {
    const field = read[odd.index]?.field ?? 'tools';
    throw badParam(field, `${field}${odd.fault.replaceAll('inputSchema', 'parameters')}`);
  }
  const custom = read.flatMap(({ tool, isCustom }) => (isCustom ? tool.name : []));
  const namespaces = [...new Set(read.flatMap(({ namespace }) => namespace ?? []))];
  return {
    clientTools: parsed.tools.length === 0 ? undefined : parsed.tools,
    custom: custom.filter((name) => typeof name === 'string'),
    // No key where there are none, as in rows of earlier versions: repeats of their requests are the same.
    namespaces: namespaces.length === 0 ? undefined : namespaces,
    takesApprovals: list.some(isOwnServer),
  };
}

/** A tool in the words of `opts.clientTools`, whose rules check it. */
interface ReadTool {
  /** Where it is in the request. */
  field: string;
  tool: { name: unknown; description: unknown; inputSchema: unknown };
  isCustom: boolean;
  /** The namespace that it is in. */
  namespace?: StoredNamespace;
}

function readTool(tool: unknown, field: string): ReadTool[] {
  const { type, name, description, parameters, format } = isPlainObject(tool) ? tool : {};
  switch (type) {
    case 'function': {
      checkCallers(tool, field);
      const inputSchema = parameters ?? { type: 'object', properties: {} };
      const about = { name, description: description ?? '', inputSchema };
      return [{ field, tool: about, isCustom: false }];
    }
    case 'custom': {
      checkCallers(tool, field);
      const about = [description, describeFormat(format, `${field}.format`)];
      const text = about.filter((one) => typeof one === 'string' && one !== '').join('\n\n');
      return [{ field, tool: { name, description: text, inputSchema: freeText }, isCustom: true }];
    }
    case 'namespace':
      return readNamespace(tool, field);
    case 'mcp':
      if (isOwnServer(tool)) return [];
      throw badField(
        `${field}.server_label`,
        "must be turnpike, whose tools are those of the agent: other MCP servers are named in the agent's file, in the session or in the server's configuration",
      );
    default:
      // The agent's file says whether the model may search: the request's offer adds nothing to that.
      if (typeof type === 'string' && hostedHere.includes(type)) return [];
      throw badField(
        `${field}.type`,
        `must be function, custom, namespace, mcp or web_search: this server does not run ${typeof type === 'string' ? type.slice(0, 60) : 'it'}; its own tools are those of the agent`,
      );
  }
}

/** A call is answered before the model goes on, and asked for by the model alone. */
function checkCallers(tool: unknown, field: string): void {
  const { async: isLate, allowed_callers: callers } = isPlainObject(tool) ? tool : {};
  if (isLate === true) {
    throw badField(`${field}.async`, 'must not be true: the turn waits for each output');
  }
  if (Array.isArray(callers) && !callers.includes('direct')) {
    throw badField(
      `${field}.allowed_callers`,
      'must have direct, or be left out: this server runs no programs that call tools',
    );
  }
}

/** The tools of a namespace. The model has no namespaces: it gets a name of both parts. */
function readNamespace(group: unknown, field: string): ReadTool[] {
  const { name, description, tools } = isPlainObject(group) ? group : {};
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) {
    throw badField(`${field}.name`, 'must be 1 to 64 of a-z A-Z 0-9 _ -');
  }
  if (!Array.isArray(tools) || tools.length === 0) {
    throw badField(`${field}.tools`, 'must be a list of function and custom tools, and not empty');
  }
  const text = typeof description === 'string' ? storableText(description) : '';
  const namespace: StoredNamespace = { name, description: text, tools: [] };
  return (tools as unknown[]).flatMap((tool, index) => {
    const at = `${field}.tools[${index}]`;
    const type = isPlainObject(tool) ? tool['type'] : undefined;
    if (type !== 'function' && type !== 'custom') {
      throw badField(`${at}.type`, 'must be function or custom');
    }
    return readTool(tool, at).map((read): ReadTool => {
      const own = read.tool.name;
      if (typeof own !== 'string') return read;
      const offered = nameInNamespace(name, own);
      namespace.tools.push({ name: own, offered });
      return { ...read, tool: { ...read.tool, name: offered }, namespace };
    });
  });
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
  throw badField(field, 'must have the type text, or grammar with syntax and definition');
}
