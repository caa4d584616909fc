import type { ServerTool, ToolSpec } from '../../storage/shapes/stored-options.js';
import { openTools, type TurnTools, type RegisteredTool } from '../../tools/registry.js';
import type { ToolContext } from '../../tools/tool.js';
import type { TurnSkills } from './skill-chooser.js';
import type { TurnPermissions } from '../approvals/call-rules.js';
import type { ToldServer } from '../../storage/shapes/sent-request.js';

/** The tools of a turn. `close` releases the connections to MCP servers after the tools. */
export interface Toolset extends TurnTools {
  /** Tools that the model may call; the prefix may list others. */
  specs: ToolSpec[];
  /** Names of the tools that the client runs. */
  clientTools: ReadonlySet<string>;
  /** Time limit of a call in ms. */
  timeoutMs: number;
  /** Most characters of output that are kept (see `capOutput`). */
  outputLimit: number;
}

/** Tools that are chosen and not yet opened. */
export interface EquippedTools extends Omit<Toolset, keyof TurnTools> {
  /** Tools by name, offered or not: a call of one that is not offered fails with the reason. */
  tools: RegisteredTool[];
  /** MCP servers of offered tools that say how these are used. */
  servers: readonly ToldServer[];
  /** The tools that the provider runs. */
  serverTools: ServerTool[];
  permissions: TurnPermissions;
  skills: TurnSkills;
  /** Releases the connections to MCP servers. */
  close(): Promise<void>;
}

export function openToolset(equipped: EquippedTools, openContext: () => ToolContext): Toolset {
  const { specs, clientTools, timeoutMs, outputLimit } = equipped;
  const tools = openTools(equipped.tools, openContext);
  return {
    specs,
    clientTools,
    timeoutMs,
    outputLimit,
    get: (name) => tools.get(name),
    close: async () => {
      try {
        await tools.close();
      } finally {
        await equipped.close();
      }
    },
  };
}
