import { Inject, Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { SecretVault } from '../../access/secret-vault.js';
import { MCP, type Mcp } from '../../tools/mcp/mcp.js';
import { ToolRegistry } from '../../tools/registry.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { AttemptModule } from '../../turn/attempt/attempt.module.js';
import { ToolSources } from '../../turn/state/tool-source.js';
import { AgentsModule } from '../../agents/agents.module.js';
import { BrowserPages } from '../../http/browser-pages.js';
import { MCP_CALLBACK, MCP_CLIENT, McpRedirects } from '../../tools/mcp/oauth/mcp-redirects.js';
import { TurnModule } from '../../turn/turn.module.js';
import { McpAuthorizations } from './log-in/mcp-authorizations.js';
import { McpAuthorizationsController } from './log-in/mcp-authorizations.controller.js';
import { serveMcpCallback } from './log-in/serve-mcp-callback.js';
import { mcpSource } from './mcp-source.js';

/** Log-ins of people at MCP servers: their routes, and the page that a browser comes back to. */
@Module({
  imports: [AccessModule, AgentsModule, ToolsModule, TurnModule],
  controllers: [McpAuthorizationsController],
  providers: [McpAuthorizations],
})
export class McpLoginModule {
  constructor(pages: BrowserPages, authorizations: McpAuthorizations, redirects: McpRedirects) {
    pages.register({
      paths: [MCP_CALLBACK, MCP_CLIENT],
      handle: serveMcpCallback(authorizations, redirects),
    });
  }
}

/** Turns that use MCP servers. */
@Module({ imports: [AccessModule, AttemptModule, ToolsModule] })
export class McpModule {
  constructor(
    sources: ToolSources,
    @Inject(MCP) mcp: Mcp,
    vault: SecretVault,
    registry: ToolRegistry,
  ) {
    sources.register(mcpSource({ mcp, vault, registry }));
  }
}
