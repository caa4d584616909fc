/** Tools that turns treat by name, the registry, and MCP servers. For wires and features. */

export { FIND_TOOLS, searchTools } from './builtin/find-tools.js';
export { RESOURCES_TOOL } from './builtin/mcp-resources.js';
export { MEMORY_TOOL } from './builtin/memory.js';
export { LOAD_SKILL, READ_SKILL_FILE } from './builtin/skill-tools.js';
export { shownStatus } from './ledger.js';
export type { McpProblem } from './mcp/definitions.js';
export { type Mcp, MCP, type OpenedServers } from './mcp/mcp.js';
export { type McpLoginRow, McpLogins } from './mcp/oauth/mcp-logins.js';
export { MCP_CALLBACK, MCP_CLIENT, McpRedirects } from './mcp/oauth/mcp-redirects.js';
export type { Redirect } from './mcp/oauth/oauth-clients.js';
export { OAuthLoginError } from './mcp/oauth/oauth-error.js';
export { type Bringer, type LoginToBegin, OAuthFlows } from './mcp/oauth/oauth-flows.js';
export type { PromptAccess } from './mcp/prompts.js';
export { authorizeName, MAX_MCP_TOOLS, prefixOf, serverOf } from './mcp/tool-names.js';
export { parseOutput } from './output/schema-checks.js';
export { describedTool, type RegisteredTool, ToolRegistry } from './registry.js';
export { type MemoryAccess, type SkillAccess, ToolFailure } from './tool.js';
export { ToolsModule } from './tools.module.js';
