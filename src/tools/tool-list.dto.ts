import { ApiProperty } from '@nestjs/swagger';
import { whole, schemaOf } from '../http/fields/json-schemas.js';
import type { JsonObject } from '../platform/json.js';
import type { ListedMcpServer } from './mcp/mcp.js';
import type { ListedTool, ToolPage } from './tool-list-service.js';

export class ListedToolDto implements ListedTool {
  name!: string;
  description!: string;
  @ApiProperty({ enum: ['read', 'edit', 'command'] }) effect!: ListedTool['effect'];
  /** Whether a call whose outcome was lost may run again. */
  @ApiProperty({ enum: ['safe', 'idempotent', 'never'] }) retry!: ListedTool['retry'];
  /** JSON Schema. */
  @ApiProperty(schemaOf('JsonObject')) inputSchema!: JsonObject;

  @ApiProperty({ enum: ['builtin', 'extension', 'mcp', 'provider'] })
  source!: ListedTool['source'];
}

export class ListedMcpServerDto implements ListedMcpServer {
  name!: string;
  @ApiProperty({ enum: ['stdio', 'http'] }) kind!: ListedMcpServer['kind'];
  /** `unused`: no turn of this process has used it yet. */
  @ApiProperty({ enum: ['unused', 'working', 'failed'] }) state!: ListedMcpServer['state'];
  /** Number of its tools. */
  @ApiProperty(whole) tools!: number;
  /** What was wrong when it was used last. */
  @ApiProperty({ type: [String] }) problems!: readonly string[];
}

export class ToolPageDto implements ToolPage {
  tools!: ListedToolDto[];
  /** MCP servers of the configuration, on each page. */
  mcpServers!: ListedMcpServerDto[];
  nextCursor?: string;
}
