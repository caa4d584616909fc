import { createHash } from 'node:crypto';
import { compileInputCheck, type InputCheck } from '../platform/json-schema/check-input.js';
import { plainNumbers } from '../platform/exact-json.js';
import { canonicalJson } from '../platform/json.js';
import type { ToolSpec } from '../storage/shapes/stored-options.js';
import type { ToolDefinition, OpenTool, ToolContext } from './tool.js';
import { parseTool } from './mcp/offered-tools.js';

export interface RegisteredTool extends ToolDefinition {
  checkInput: InputCheck;
  /** `extension` for a tool of an extension; absent for a built-in or MCP tool. */
  source?: 'extension';
  /**
   * Hash of what a call relies on: where the tool is from, its schema, its effect and its retry class. A call does not run
   * once it is another one. Absent for the server's own tools and those of MCP servers.
   */
  digest?: string;
  /** Whether its input has exact numbers (`exact-json.ts`). Absent: plain ones. */
  takesExact?: true;
  /** Whether its definition is in every request, however many others are deferred. Absent: it may be deferred. */
  deferred?: false;
}

export interface ToolSelection {
  /** Tools in the order of the names, each once. */
  tools: RegisteredTool[];
  unknown: string[];
}

/** The tools of the server, by name. Permissions decide elsewhere which of them a turn may use. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();

  constructor(definitions: Iterable<ToolDefinition> = []) {
    for (const definition of definitions) this.register(definition);
  }

  /** @throws Error when the name is invalid or taken, or the schema is invalid. */
  register(definition: ToolDefinition, source?: RegisteredTool['source']): void {
    const { name, inputSchema } = definition;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      throw new Error(
        `Tool name ${JSON.stringify(name)} is not valid: use 1 to 64 of a-z A-Z 0-9 _ -`,
      );
    }
    if (this.#tools.has(name)) {
      throw new Error(`Tool ${name} is registered already: give one of the two another name`);
    }
    this.#tools.set(name, {
      ...definition,
      checkInput: compileFor(name, inputSchema),
      ...(source === undefined ? {} : { source, digest: digestOf(definition, source) }),
    });
  }

  list(): RegisteredTool[] {
    return [...this.#tools.values()];
  }

  select(names: readonly string[]): ToolSelection {
    const selection: ToolSelection = { tools: [], unknown: [] };
    for (const name of new Set(names)) {
      const tool = this.#tools.get(name);
      if (tool === undefined) selection.unknown.push(name);
      else selection.tools.push(tool);
    }
    return selection;
  }
}

/** The `digest` of a tool. */
export function digestOf(
  { inputSchema, effect, retry }: Pick<ToolDefinition, 'inputSchema' | 'effect' | 'retry'>,
  source: 'extension' | 'client',
): string {
  return createHash('sha256')
    .update(canonicalJson({ source, inputSchema, effect, retry }))
    .digest('base64url')
    .slice(0, 22);
}

function compileFor(name: string, schema: ToolDefinition['inputSchema']): InputCheck {
  try {
    return compileInputCheck(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new Error(`The input schema of tool ${name} is not valid: ${why}`, { cause });
  }
}

/** A tool that a turn can call. */
export interface CallableTool extends Omit<
  RegisteredTool,
  'description' | 'inputSchema' | 'definedAs' | 'source' | 'takesExact' | 'deferred' | 'open'
> {
  run: OpenTool['run'];
}

/** The tools of one turn. The caller of `openTools` closes them when the turn ends, however it ends. */
export interface TurnTools {
  get(name: string): CallableTool | undefined;
  /**
   * Closes every tool that was used, also when some fail to close.
   * @throws AggregateError of their errors.
   */
  close(): Promise<void>;
}

/**
 * Opens each tool at its first call, so that a failure to open is that call's outcome.
 *
 * @param openContext called for the first of them: most turns call none.
 */
export function openTools(
  tools: readonly RegisteredTool[],
  openContext: () => ToolContext,
): TurnTools {
  let used: { context: ToolContext; opened: Map<string, OpenTool> } | undefined;
  return {
    get: (name) => {
      const registered = tools.find((tool) => tool.name === name);
      if (registered === undefined) return undefined;
      const run: OpenTool['run'] = async (input, call) => {
        used ??= { context: openContext(), opened: new Map() };
        const tool = used.opened.get(name) ?? registered.open(used.context);
        used.opened.set(name, tool);
        return tool.run(registered.takesExact === true ? input : plainNumbers(input), call);
      };
      return { ...registered, run };
    },
    close: async () => {
      const closing = [...(used?.opened.values() ?? [])].map(async (tool) => tool.close?.());
      used = undefined;
      const settled = await Promise.allSettled(closing);
      const failures = settled.flatMap((one): unknown[] =>
        one.status === 'rejected' ? [one.reason] : [],
      );
      if (failures.length > 0) throw new AggregateError(failures, 'Tools failed to close');
    },
  };
}

/**
 * A tool of which this server has the description alone. It counts as read-only: the server's rules are not about
 * an effect that happens elsewhere, or not at all.
 *
 * @param why it does not run here: the end of a sentence that begins with its name.
 */
export function describedTool(spec: ToolSpec, why: string): RegisteredTool {
  const { name, description, inputSchema, checkInput } = parseTool(spec);
  return {
    name,
    description,
    inputSchema,
    checkInput,
    effect: 'read',
    retry: 'safe',
    open: () => {
      throw new Error(`${name} ${why}`);
    },
  };
}
