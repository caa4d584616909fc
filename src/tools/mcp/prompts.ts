import { commandNameOfServer } from '../../platform/process/command-name.js';
import { TypedError } from '../../errors/typed-error.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { outputText } from '../../platform/parsing/tool-output.js';
import { cutText } from '../../platform/text/cut-text.js';
import type { PromptChoice } from '../../storage/shapes/stored-options.js';
import { ToolFailure } from '../tool.js';
import { askServer, toBlock, type ServerAccess } from './call-tool.js';
import type { McpProblem } from './definitions.js';
import { sendRequest } from './messages.js';
import { LoginNeededError, type LoginQuestion } from './oauth/oauth-error.js';
import { listEntries } from './offered-tools.js';

const MAX_PROMPTS = 200;
const MAX_TEXT_CHARS = 1_000;
/** A prompt is text of a message, which has as many. */
const MAX_PROMPT_CHARS = 100_000;
/** Names that an error lists at most. */
const MAX_NAMES = 20;

/** A prompt of an MCP server, as it is listed. */
export interface ListedPrompt {
  server: string;
  name: string;
  title: string | null;
  description: string | null;
  arguments: { name: string; description: string | null; required: boolean }[];
}

/** A server that may have prompts. */
export interface PromptServer extends ServerAccess {
  /** The log-in that the server wants before it lists its prompts. Absent: none. */
  login?: LoginQuestion;
}

/** The prompts of a turn's, or a session's, MCP servers. */
export interface PromptAccess {
  /**
   * A server that cannot list its prompts is a problem; one that had a log-in wanted when it was opened is left out.
   *
   * @throws the signal's reason when it aborts.
   */
  list(signal: AbortSignal): Promise<{ prompts: ListedPrompt[]; problems: McpProblem[] }>;
  /**
   * The text of a prompt.
   *
   * @throws TypedError MCP_PROMPT_FAILURE for a prompt or an argument that there is not, naming those there are; or with
   * what its server says. The signal's reason when it aborts.
   */
  get(choice: PromptChoice, signal: AbortSignal): Promise<string>;
}

export function openPrompts(servers: readonly PromptServer[]): PromptAccess {
  return {
    list: async (signal) => {
      const listed = await Promise.all(
        servers.filter(isOpen).map(async (one) => {
          try {
            return { prompts: await listPrompts(one, signal), problems: [] };
          } catch (error) {
            signal.throwIfAborted();
            if (!(error instanceof ToolFailure || error instanceof LoginNeededError)) throw error;
            return { prompts: [], problems: [{ server: one.server, reason: error.message }] };
          }
        }),
      );
      return {
        prompts: listed.flatMap(({ prompts }) => prompts),
        problems: listed.flatMap(({ problems }) => problems),
      };
    },
    get: async (choice, signal) => {
      try {
        return await getPrompt(servers, choice, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof LoginNeededError) throw loginFailure(choice, error.question);
        if (error instanceof ToolFailure) throw promptFailure(choice, error.message);
        throw error;
      }
    },
  };
}

async function listPrompts(
  { server, connection }: ServerAccess,
  signal: AbortSignal,
): Promise<ListedPrompt[]> {
  const entries = await askServer(connection, { signal, retry: 'safe' }, (client) =>
    listEntries(client, signal, { of: 'prompts', most: MAX_PROMPTS }),
  );
  const show = (value: unknown): string | null =>
    typeof value === 'string' ? connection.redact(cutText(value, MAX_TEXT_CHARS)) : null;
  return entries.slice(0, MAX_PROMPTS).flatMap((entry): ListedPrompt[] => {
    if (!isPlainObject(entry) || typeof entry['name'] !== 'string') return [];
    const { name, title, description, arguments: given } = entry;
    const taken = Array.isArray(given) ? given.filter(isPlainObject) : [];
    const known = taken.flatMap(({ name: argument, description: about, required }) =>
      typeof argument === 'string'
        ? [{ name: argument, description: show(about), required: required === true }]
        : [],
    );
    return [{ server, name, title: show(title), description: show(description), arguments: known }];
  });
}

async function getPrompt(
  servers: readonly PromptServer[],
  choice: PromptChoice,
  signal: AbortSignal,
): Promise<string> {
  const { server, name, arguments: given = {} } = choice;
  const found = servers.find((one) => one.server === server);
  if (found === undefined) {
    const there = namesOf(servers.filter(isOpen).map((one) => one.server));
    throw promptFailure(choice, `no MCP server ${server} of the turn has prompts; ${there} do`);
  }
  if (found.login !== undefined) throw loginFailure(choice, found.login);
  const prompts = await listPrompts(found, signal);
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    const there = namesOf(prompts.map((one) => one.name));
    throw promptFailure(choice, `the server has no prompt of that name; it has ${there}`);
  }
  const known = prompt.arguments.map((one) => one.name);
  const odd = Object.keys(given).filter((argument) => !known.includes(argument));
  const missing = prompt.arguments.filter((one) => one.required && given[one.name] === undefined);
  if (odd.length > 0) {
    throw promptFailure(choice, `it takes no argument ${odd[0]}; it takes ${namesOf(known)}`);
  }
  if (missing.length > 0) {
    throw promptFailure(choice, `it needs ${namesOf(missing.map((one) => one.name))}`);
  }
  const { connection } = found;
  const params: JsonObject = { name, arguments: given };
  const result = await askServer(connection, { signal, retry: 'safe' }, (client) =>
    sendRequest(client, { method: 'prompts/get', params }, { signal }),
  );
  const text = textOf(result['messages']);
  if (text === '') throw promptFailure(choice, 'its server gave no text');
  return cutText(connection.redact(text), MAX_PROMPT_CHARS);
}

/** The texts of a prompt's messages, with a label for what is no text. */
function textOf(messages: unknown): string {
  const all: unknown[] = Array.isArray(messages) ? messages : [];
  return all
    .filter(isPlainObject)
    .map(({ role, content }) => {
      const text = outputText([toBlock(content)]);
      return role === 'assistant' ? `Assistant: ${text}` : text;
    })
    .join('\n\n')
    .trim();
}

function namesOf(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const left = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (left > 0 ? ` and ${left} more` : '');
}

function isOpen({ login }: PromptServer): boolean {
  return login === undefined;
}

function promptFailure(
  { server, name }: PromptChoice,
  why: string,
  more: { login?: LoginQuestion } = {},
): TypedError {
  return new TypedError('MCP_PROMPT_FAILURE', {
    message: `The prompt ${name} of the MCP server ${server} cannot be used: ${why.replace(/\.$/, '')}.`,
    details: { server, name, ...more },
  });
}

/** No turn is parked for a prompt: its message has no text before it. */
function loginFailure(choice: PromptChoice, login: LoginQuestion): TypedError {
  const { server, host, issuer } = login;
  const ways = `in the console (MCP log-ins), by "${commandNameOfServer()} mcp login ${server}" or POST /api/harness/mcp/logins`;
  const why = `its server (${host}) wants you to log in at ${issuer}. Log in ${ways}, then send the message again`;
  return promptFailure(choice, why, { login });
}

/** Most characters of an argument's value. */
const MAX_ARGUMENT_CHARS = 16_384;
const MAX_ARGUMENTS = 50;

/** Parses `opts.prompt`. @returns undefined for an invalid value. Pure. */
export function parsePromptChoice(value: unknown): PromptChoice | undefined {
  if (!isPlainObject(value)) return undefined;
  const { server, name, arguments: given = {}, ...rest } = value;
  if (!isText(server, 32) || !isText(name, 256) || Object.keys(rest).length > 0) return undefined;
  if (!isPlainObject(given)) return undefined;
  const entries = Object.entries(given);
  const areTexts = entries.every(([, one]) => isText(one, MAX_ARGUMENT_CHARS) || one === '');
  if (!areTexts || entries.length > MAX_ARGUMENTS) return undefined;
  const texts = Object.fromEntries(entries.map(([argument, one]) => [argument, String(one)]));
  return { server, name, ...compact({ arguments: entries.length === 0 ? undefined : texts }) };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most && !value.includes('\0');
}
