import { Inject, Module } from '@nestjs/common';
import { AccessModule, SecretVault } from '../../access/face.js';
import {
  type Mcp,
  MCP,
  MCP_CALLBACK,
  MCP_CLIENT,
  McpRedirects,
  ToolRegistry,
  ToolsModule,
} from '../../tools/face.js';
import { AttemptModule, ToolSources, TurnModule } from '../../turn/face.js';
import { AgentsModule } from '../../agents/face.js';
import { BrowserPages } from '../../http/face.js';
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
