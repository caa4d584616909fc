import { approverRoles } from '../../governance/permissions/approver-rules.js';
import * as z from 'zod/mini';
import { checkedBy, filledText, onWrongType, wholeNumber } from '../../platform/parsing/shapes.js';
import { isServerToolName } from '../../provider/model-types.js';
import { agentConfigFields } from '../../governance/decision-tree/agent-config.js';
import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import type { AgentState } from '../../governance/decision-tree/agent-state.js';
import type { Continuation } from '../../governance/decision-tree/decision-trees.js';
import { reservedReasons } from '../../governance/limits/termination-checks.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { nearestName } from '../../platform/parsing/nearest-name.js';
import { parseValue, nameOf, type Fault } from '../../platform/parsing/parse-value.js';
import { keyScopes } from '../../storage/governance-schema.js';
import { TypedError } from '../../errors/typed-error.js';
import { showPlace, type SourcePlace } from './explain-load-failure.js';

/** Shapes of what extensions register. An object may be an instance of a class, with methods. */

type Callable = (...args: never[]) => unknown;

export const functionShape = z.custom<Callable>(
  (value) => typeof value === 'function',
  'must be a function',
);

const object = { error: onWrongType('must be an object') };

export const treeName = z
  .string('must be text')
  .check(z.regex(/^[a-z0-9_-]{1,64}$/, 'must have 1 to 64 of a-z 0-9 _ -'));

export const triggerShape = z.object(
  {
    id: z
      .string('must be text')
      .check(z.regex(/^[a-z0-9-]{1,64}$/, 'must have 1 to 64 of a-z 0-9 -')),
    priority: z.optional(z.number()),
    levels: z.optional(z.array(z.enum(['message', 'step']))),
    check: functionShape,
  },
  object,
);

export const authenticatorName = z.string('must be text').check(
  z.regex(/^[a-z][a-z0-9-]{0,31}$/, 'must have 1 to 32 of a-z 0-9 -, a letter first'),
  checkedBy((name) =>
    ['local', 'anonymous', 'default'].includes(name) ? 'is a name of the server itself' : undefined,
  ),
);

const limit = z.optional(z.number('must be a number').check(z.minimum(0, 'must be 0 or more')));

export const callerShape = z.object(
  {
    principal: z
      .string('must be text')
      .check(z.regex(/^[^\s\p{C}]{1,150}$/u, 'must have 1 to 150 characters, none of them blank')),
    scopes: z._default(z.array(z.enum(keyScopes), 'must be a list'), ['turns', 'approvals']),
    limits: z.optional(
      z.object(
        { requestsPerMinute: limit, concurrentTurns: limit, tokensPerDay: limit, usdPerDay: limit },
        object,
      ),
    ),
    approves: z._default(approverRoles, []),
    agents: z.optional(z.array(z.string(), 'must be a list')),
    expiresAt: z.optional(wholeNumber(1, 8.64e15, 'must be a time in ms since the epoch')),
    issuedAt: z.optional(wholeNumber(0, 8.64e15, 'must be a time in ms since the epoch')),
  },
  object,
);

/** The registry checks the rest of a tool's name, and its schema. */
export const toolShape = z.object(
  {
    name: z.string().check(
      checkedBy((name) => {
        if (name.startsWith('mcp__')) return 'begins with mcp__, as those of MCP servers do';
        return isServerToolName(name) ? 'is taken by a tool of the provider' : undefined;
      }),
    ),
    description: filledText(),
    inputSchema: z.record(z.string(), z.unknown(), 'must be a JSON Schema'),
    effect: z.optional(z.enum(['read', 'edit', 'command'])),
    retry: z.optional(z.enum(['safe', 'idempotent', 'never'])),
    timeoutMs: z.optional(wholeNumber(1, 86_400_000, 'must be 1 to 86400000 ms')),
    permissionArgument: z.optional(
      z.object({ name: z.string(), kind: z.enum(['command', 'path', 'text']) }, object),
    ),
    run: functionShape,
  },
  object,
);

/** What a part of a tool is called where it is not there. */
const missing: Readonly<Record<string, string>> = {
  inputSchema: 'input (inputSchema, without defineTool)',
};

/**
 * Checks a tool. One that is a plain object has no fields but a tool's: a name that is wrong would pass unseen. An
 * instance of a class may have what it likes.
 *
 * @throws Error that lists all that is wrong.
 */
export function expectTool(tool: unknown): void {
  const fields: Readonly<Record<string, unknown>> = isPlainObject(tool) ? tool : {};
  const { name } = fields;
  const what = typeof name === 'string' ? `the tool ${name}` : 'a tool';
  const { faults = [] } = parseValue(toolShape, tool, { showsGiven: false });
  const lines = faults.map(({ path, message }) => {
    const [field] = path;
    if (path.length === 1 && fields[String(field)] === undefined && isPlainObject(tool)) {
      return `${missing[String(field)] ?? String(field)} is missing`;
    }
    return wordFault(what, { path, message });
  });
  const all = [...Object.keys(fields).flatMap(unknownField), ...lines];
  if (all.length > 0) throw new Error(all.join('; '));
}

function unknownField(name: string): string[] {
  const known = Object.keys(toolShape.shape);
  if (known.includes(name)) return [];
  const near = nearestName(name, known);
  const hint = near === undefined ? `use ${known.join(', ')}` : `did you mean ${near}?`;
  return [`${nameOf([name])} is no field of a tool; ${hint}`];
}

/** Checks of values that extensions return: a fault is then the extension's, by name. */

const MAX_EXPLANATION_CHARS = 500;

/** NUL and lone surrogates, which no column can store. */
const unstorable = /[\0\p{Cs}]/gu;

const atLeastOne = wholeNumber(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of 1 or more');

const configShape = z.object(
  Object.fromEntries(agentConfigFields.map(({ name }) => [name, atLeastOne])),
  { error: onWrongType('must be an object') },
);

const continuationShape = z.discriminatedUnion(
  'shouldContinue',
  [
    z.object({ shouldContinue: z.literal(true) }),
    z.object({
      shouldContinue: z.literal(false),
      reason: z.string().check(
        z.regex(/^[a-z][a-z0-9_]{0,63}$/, 'must have 1 to 64 of a-z 0-9 _'),
        checkedBy((reason) =>
          reservedReasons.has(reason) ? "is the server's: choose another word" : undefined,
        ),
      ),
      explanation: z.optional(
        filledText().check(
          z.maxLength(
            MAX_EXPLANATION_CHARS,
            `must have at most ${MAX_EXPLANATION_CHARS} characters`,
          ),
        ),
      ),
    }),
  ],
  {
    error: (issue) =>
      onWrongType('must be {shouldContinue, reason}')(issue) ?? 'must be true or false',
  },
);

/** Checks and freezes a tree's limits. @throws Error with the fault. */
export function checkConfig(input: unknown): Readonly<AgentConfig> {
  const config = expectShape(configShape, input, 'the config');
  // The shape has all fields of a config.
  return Object.freeze(config as Record<keyof AgentConfig, number>);
}

/**
 * Checks a tree's decision on whether the loop goes on. Its reason is the tree's own, or a reason of the
 * server that is true of the state.
 *
 * @throws Error with the fault.
 */
export function checkContinuation(input: unknown, state: AgentState): Continuation {
  const decision = expectShape(continuationShape, input, 'the decision');
  if (decision.shouldContinue) return { shouldContinue: true, reason: 'continue' };
  const { reason, explanation } = decision;
  if (reason === 'completed' && !state.hasFinished) {
    throw new Error("the turn is not completed: give a reason of the tree's own");
  }
  return {
    shouldContinue: false,
    reason,
    ...compact({ explanation: explanation?.replaceAll(unstorable, '\uFFFD') }),
  };
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}

/**
 * Checks a value of an extension: JavaScript has no types that would.
 *
 * @param what the value's name, as `the tool mine`.
 * @throws Error that lists all that is wrong.
 */
export function expectShape<T>(shape: z.ZodMiniType<T>, input: unknown, what: string): T {
  // An extension's values may be of any kind, those that JSON cannot show included.
  const { value, faults } = parseValue(shape, input, { showsGiven: false });
  if (faults === undefined) return value;
  throw new Error(faults.map((fault) => wordFault(what, fault)).join('; '));
}

function wordFault(what: string, { path, message }: Fault): string {
  return path.length === 0 ? `${what} ${message}` : `${nameOf(path)} of ${what} ${message}`;
}

/** An extension cannot be used, which ends the start; the message names the module and the fault. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
  /** Where the fault is. Absent: only the extension is known. */
  readonly place: SourcePlace | undefined;

  /** @param extension its name, or its file. @param fault a clause without a full stop. */
  constructor(
    source: ExtensionSource,
    readonly extension: string,
    readonly fault: string,
    { cause, place, remedy }: { cause?: unknown; place?: SourcePlace; remedy?: string } = {},
  ) {
    const named = place === undefined ? extension : showPlace(place);
    const end = fault.endsWith('?') ? '' : '.';
    // The command that was given the option says what it is about.
    const about = source === '--dir' ? '' : `${source}: `;
    super(`${about}${named}: ${fault}${end} ${remedy ?? remedies[source]}`, { cause });
    this.place = place;
  }
}

const remedies = {
  TURNPIKE_EXTENSIONS: 'Correct it, or take it out of the list, and start again.',
  TURNPIKE_TOOLS_DIR: 'Correct the file, or move it out of the folder, and start again.',
  '--dir': 'Correct the file, or move it out of the folder.',
  TURNPIKE_INSTRUCTION_ROOT: 'Correct the file, or move it out of the folder, and start again.',
  createTurnpike: 'Correct the options.',
};

/** Who names an extension. */
export type ExtensionSource = keyof typeof remedies;

/** The error of a turn that an extension's fault ends; only the operator can correct it. */
export function extensionFailure(of: {
  extension: string;
  /** The part that failed, as `decision tree "x"`. */
  part: string;
  operation: string;
}): TypedError {
  const { extension, part, operation } = of;
  return new TypedError('EXTENSION_FAILURE', {
    message: `The ${part} of an extension failed (${operation}). The server's log has the error.`,
    details: { extension, part, operation },
  });
}
