import path from 'node:path';
import type { Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { PublicFetch } from '../../platform/net/public-fetch.js';
import { secretRedactor, type Redact } from '../../platform/text/redact.js';
import { childEnvironment, describeLack, type Lack } from './child-environment.js';
import type { McpServer, StdioDefinition } from './definitions.js';
import { HttpTransport } from './http-transport.js';
import type { ServerAuth } from './oauth/server-auth.js';
import { StderrTail } from './stderr-tail.js';
import { StdioTransport } from './stdio-transport.js';

/** How a server is reached, and what is known of one that does not come up. */
export interface ServerDoor {
  open(): Transport;
  /** A fault with what explains it, for a turn, and for the operator. @param fault a clause. */
  explain(fault: string): { forTurn: string; whole: string };
  /** The last lines of its standard error. @param isWhole for the log; otherwise those that people are shown. */
  stderr(isWhole?: boolean): readonly string[];
}

interface DoorParts {
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
  fetchBy: PublicFetch;
  auth: ServerAuth | undefined;
  redact: Redact;
}

export function doorOf({ name, definition }: McpServer, parts: DoorParts): ServerDoor {
  const { clock, fetchBy, auth } = parts;
  if (definition.kind === 'stdio') return commandDoor(name, definition, parts);
  return {
    open: () => new HttpTransport(definition, { fetchBy, clock, auth }),
    explain: (fault) => ({ forTurn: fault, whole: fault }),
    stderr: () => [],
  };
}

/** What programs say of a file, a module or a command that is not there: no variable would change it. */
const notThere =
  /cannot find (?:module|package)|no module named|can't open file|no such file|command not found/i;

function commandDoor(
  server: string,
  definition: StdioDefinition,
  { environment, clock, logger, redact }: DoorParts,
): ServerDoor {
  const { command, args, cwd } = definition;
  const redactAll = secretRedactor(likelySecrets(definition));
  const tail = new StderrTail((line) => redactAll(redact(line)));
  let transport: StdioTransport | undefined;
  /** What the environment may lack, unless it is known that something else is not there. */
  const lack = (): Lack | undefined =>
    transport?.pid === null || tail.all().some((line) => notThere.test(line))
      ? undefined
      : describeLack(environment, definition);
  return {
    open: () => {
      tail.clear();
      transport = new StdioTransport({
        command,
        args,
        env: childEnvironment(environment, definition),
        cwd,
        clock,
        onStderr: (line) => {
          tail.push(line);
          logger.debug({ server, line: tail.all().at(-1) }, 'an MCP server wrote to stderr');
        },
      });
      return transport;
    },
    explain: (fault) => {
      const shown = tail.shown();
      const said = shown.length === 0 ? [] : [`its standard error ends with: ${shown.join(' | ')}`];
      const { short, whole } = lack() ?? {};
      return {
        forTurn: [fault, ...said, short ?? []].flat().join('; '),
        whole: [fault, ...said, whole ?? []].flat().join('; '),
      };
    },
    stderr: (isWhole = false) => (isWhole ? tail.all() : tail.shown()),
  };
}

/** A program may print what it was started with: its variables, other than paths, and arguments that are secrets by name. */
function likelySecrets({ env, args }: StdioDefinition): string[] {
  const named = args.flatMap((arg, index) => {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined || !/key|token|secret|passw|auth|credential/i.test(name)) return [];
    return [value ?? args[index + 1] ?? ''];
  });
  return [...Object.values(env).filter((value) => !path.isAbsolute(value)), ...named];
}
