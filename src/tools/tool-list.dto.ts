import { ApiProperty } from '@nestjs/swagger';
import type { ToolEffect } from '../governance/permission-subject.js';
import { schemaOf, whole } from '../http/fields/json-schemas.js';
import { PageLimit, PageToken } from '../http/paging/page-query.dto.js';
import type { JsonObject } from '../platform/json.js';
import type { RetryClass } from './tool.js';

export class ToolQueryDto {
  @PageToken() cursor?: string | undefined;
  @PageLimit({ standard: 200, most: 200 }) limit = 200;
}

/** A tool as clients see it. */
export class ListedToolDto {
  name!: string;
  description!: string;
  @ApiProperty({ enum: ['read', 'edit', 'command'] }) effect!: ToolEffect;
  /** Whether a call whose outcome was lost may run again. */
  @ApiProperty({ enum: ['safe', 'idempotent', 'never'] }) retry!: RetryClass;
  /** JSON Schema. */
  @ApiProperty(schemaOf('JsonObject')) inputSchema!: JsonObject;

  @ApiProperty({ enum: ['builtin', 'extension', 'mcp', 'provider'] })
  source!: 'builtin' | 'extension' | 'mcp' | 'provider';
}

/** An MCP server of the configuration. */
export class ListedMcpServerDto {
  name!: string;
  @ApiProperty({ enum: ['stdio', 'http'] }) kind!: 'stdio' | 'http';
  /** `unused`: no turn of this process has used it yet. */
  @ApiProperty({ enum: ['unused', 'working', 'failed'] }) state!: 'unused' | 'working' | 'failed';
  /** Number of its tools. */
  @ApiProperty(whole) tools!: number;
  /** What was wrong when it was used last. */
  @ApiProperty({ type: [String] }) problems!: readonly string[];
}

export class ToolPageDto {
  tools!: ListedToolDto[];
  /** MCP servers of the configuration, on each page. */
  mcpServers!: ListedMcpServerDto[];
  nextCursor?: string;
}
