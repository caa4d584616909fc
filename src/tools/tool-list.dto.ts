import { ApiProperty } from '@nestjs/swagger';
import type { ToolEffect } from '../governance/permission-subject.js';
import { nullableTime, schemaOf, whole } from '../http/fields/json-schemas.js';
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

const serverStates = ['unused', 'starting', 'working', 'login', 'failed', 'stopped'] as const;

/** An MCP server of the configuration. */
export class ListedMcpServerDto {
  name!: string;
  @ApiProperty({ enum: ['stdio', 'http'] }) kind!: 'stdio' | 'http';
  /**
   * As this process found it. `unused`: nothing here has used it yet. `login`: people log in before it lists its tools.
   * `failed`: its last start failed. `stopped`: it ended, or was unused for a while; the next turn starts it again.
   */
  @ApiProperty({ enum: serverStates }) state!: (typeof serverStates)[number];
  /** Since when; null: `unused`. */
  @ApiProperty(nullableTime) since!: string | null;
  /** Number of its tools. */
  @ApiProperty(whole) tools!: number;
  /** What is wrong. */
  @ApiProperty({ type: [String] }) problems!: readonly string[];
  /** The last lines of its standard error when it failed. */
  @ApiProperty({ type: [String] }) stderr!: readonly string[];
}

/** A fault of a tool's or agent's file that has changed under `turnpike dev`: the version before it runs. */
export class ListedFaultDto {
  /** From the folder above the one that is watched: `tools/ticket_state.ts`. */
  file!: string;
  /** From 1, as `column`. */
  @ApiProperty({ ...whole, required: false }) line?: number;
  @ApiProperty({ ...whole, required: false }) column?: number;
  /** What is wrong, with the command that helps where there is one. */
  message!: string;
}

export class ToolPageDto {
  tools!: ListedToolDto[];
  /** MCP servers of the configuration, on each page. */
  mcpServers!: ListedMcpServerDto[];
  /** Faults of changed files, on each page. */
  faults!: ListedFaultDto[];
  nextCursor?: string;
}
