import { compact } from '../platform/compact.js';
import { compileInputCheck, type InputCheck } from '../platform/check-input.js';
import type { ToolDefinition } from './tool.js';

export interface RegisteredTool extends ToolDefinition {
  checkInput: InputCheck;
  /** `extension` for a tool of an extension; absent for a built-in or MCP tool. */
  source?: 'extension';
  /** Whether its input has exact numbers (`exact-json.ts`). Absent: plain ones. */
  takesExact?: true;
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
      ...compact({ source }),
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

function compileFor(name: string, schema: ToolDefinition['inputSchema']): InputCheck {
  try {
    return compileInputCheck(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new Error(`The input schema of tool ${name} is not valid: ${why}`, { cause });
  }
}
