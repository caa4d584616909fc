import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { schemaOf } from '../http/fields/type-schema.js';
import type { JsonObject } from '../platform/json.js';
import type { ListedMcpServer } from './mcp/mcp.js';
import type { ListedTool, ToolPage } from './tool-list-service.js';

export class ListedToolDto implements ListedTool {
  @ApiProperty({ type: String })
  name!: string;

  @ApiProperty({ type: String })
  description!: string;

  @ApiProperty({ enum: ['read', 'edit', 'command'] })
  effect!: ListedTool['effect'];

  @ApiProperty({
    enum: ['safe', 'idempotent', 'never'],
    description: 'Whether a call whose outcome was lost may run again.',
  })
  retry!: ListedTool['retry'];

  @ApiProperty({ ...schemaOf('JsonObject'), description: 'JSON Schema.' })
  inputSchema!: JsonObject;

  @ApiProperty({ enum: ['builtin', 'extension', 'mcp', 'provider'] })
  source!: ListedTool['source'];
}

export class ListedMcpServerDto implements ListedMcpServer {
  @ApiProperty({ type: String })
  name!: string;

  @ApiProperty({ enum: ['stdio', 'http'] })
  kind!: ListedMcpServer['kind'];

  @ApiProperty({
    enum: ['unused', 'working', 'failed'],
    description: '`unused`: no turn of this process has used it yet.',
  })
  state!: ListedMcpServer['state'];

  @ApiProperty({ type: 'integer', description: 'Number of its tools.' })
  tools!: number;

  @ApiProperty({ type: [String], description: 'What was wrong when it was used last.' })
  problems!: readonly string[];
}

export class ToolPageDto implements ToolPage {
  @ApiProperty({ type: [ListedToolDto] })
  tools!: ListedToolDto[];

  @ApiProperty({
    type: [ListedMcpServerDto],
    description: 'MCP servers of the configuration, on each page.',
  })
  mcpServers!: ListedMcpServerDto[];

  @ApiPropertyOptional({ type: String })
  nextCursor?: string;
}
