import type { Persona } from '../../agents/parse-agent-file.js';
import { isServerToolName } from '../../provider/model-types.js';
import { describedTool, type RegisteredTool } from '../../tools/registry.js';
import type { chooseServerTools } from '../loop/server-tools.js';
import type { Attempt } from '../state/attempt.js';

/** Tools of a replay that a turn has from elsewhere than this server. */

/**
 * The tools of the MCP servers of a replay's agent and session, as the recorded session lists them for the model:
 * no connection is opened. Pure.
 */
export function recordedMcpTools(
  { prefix, mcpServers }: Pick<Attempt['session'], 'prefix' | 'mcpServers'>,
  { mcpServers: ofAgent }: Pick<Persona, 'mcpServers'>,
): RegisteredTool[] {
  const own = [...(ofAgent?.named ?? []), ...Object.keys(ofAgent?.own ?? {})];
  const servers = new Set([...own, ...Object.keys(mcpServers ?? {})]);
  // An agent that names no servers has all of the configuration.
  const isTheirs = (server: string): boolean => ofAgent === undefined || servers.has(server);
  return (prefix?.tools ?? [])
    .filter((tool) => {
      const [, server] = /^mcp__(.+?)__/.exec(tool.name) ?? [];
      return server !== undefined && isTheirs(server);
    })
    .map((tool) => describedTool(tool, 'does not run in a replay'));
}

/** Tools that the provider would run are left out of a replay: their results would be new. Pure. */
export function leaveOutServerTools(
  asked: readonly string[],
): ReturnType<typeof chooseServerTools> {
  const reason = 'it is a replay, which no tool runs in, and the provider would run this one';
  const names = new Set(asked.filter(isServerToolName));
  return { serverTools: [], missing: [...names].map((name) => ({ name, reason })) };
}
