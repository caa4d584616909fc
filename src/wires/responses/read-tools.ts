import { parseClientTools } from '../../options/client-tools.js';
import { isPlainObject } from '../../platform/json.js';
import type { CreateResponseDto } from './create-response.dto.js';
import type { ReadField } from './response-terms.js';
import { badParam } from './responses-errors.js';

/** Tools of OpenAI's that the server has its own of: an agent has them, or has them not. */
const hostedHere = ['web_search', 'web_search_preview', 'web_search_2025_08_26'];

/**
 * The tools of a request: those of the client, and whether the model may call any. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for a tool that the server cannot offer.
 */
export function readTools({
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
