import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/face.js';
import { AgentsModule } from '../../agents/face.js';
import { TurnApiModule } from '../../turn/face.js';
import { ChatModule } from '../chat/chat.module.js';
import { AgentToolCalls } from './agent-tool-calls.js';
import { McpController } from './mcp.controller.js';

/** Agents as an MCP server. */
@Module({
  imports: [AccessModule, AgentsModule, TurnApiModule, ChatModule],
  controllers: [McpController],
  providers: [AgentToolCalls],
})
export class McpWireModule {}
