import { isOfProject } from '../../session/face.js';
import { RESOURCES_TOOL } from '../../tools/face.js';
import type { Attempt, SourceTools, ToolOffer, ToolSource } from '../../turn/face.js';
import { mcpPart } from './mcp-part.js';
import { openServers, recordedTools, type McpParts } from './open-servers.js';

/** The tools, resources and prompts of the MCP servers of a turn's configuration, agent and session. */
export function mcpSource(parts: McpParts): ToolSource {
  const isConfigured = parts.mcp.listServers().length > 0;
  return {
    name: 'mcp',
    precedence: 30,
    owns: [RESOURCES_TOOL],
    prompt: mcpPart,
    open: async (attempt, offer) =>
      isConfigured || mayHaveServers(attempt, offer) ? openServers(attempt, offer, parts) : nothing,
    openRecorded: (attempt, offer) => recordedTools(attempt, offer, parts),
  };
}

const nothing: SourceTools = { tools: [], bounds: [], reserved: [RESOURCES_TOOL] };

/** Whether a turn has servers of its agent or session, or names a prompt, which is refused without its server. */
function mayHaveServers({ session, services }: Attempt, { persona, options }: ToolOffer): boolean {
  return (
    session.mcpServers !== null ||
    persona.mcpServers !== undefined ||
    (options.prompt !== undefined && !isOfProject(options.prompt, session, services.config))
  );
}
