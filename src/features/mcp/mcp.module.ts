import { Inject, Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { SecretVault } from '../../access/secret-vault.js';
import { MCP, type Mcp } from '../../tools/mcp/mcp.js';
import { ToolRegistry } from '../../tools/registry.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { AttemptModule } from '../../turn/attempt/attempt.module.js';
import { ToolSources } from '../../turn/state/tool-source.js';
import { mcpSource } from './mcp-source.js';

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
