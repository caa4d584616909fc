import { Controller, Get, Inject, Optional, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HarmlessForPages, Unowned } from '../access/owned.decorator.js';
import { CONFIG, type Config } from '../config/config.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { compact } from '../platform/compact.js';
import { cutPage } from '../http/paging/load-page.js';
import { badCursor } from '../http/paging/page-query.dto.js';
import type { ServerTool, ServerToolName } from '../storage/shapes/stored-options.js';
import { SOURCE_FAULTS, type SourceFaults } from './extensions/source-faults.js';
import { MCP, type Mcp } from './mcp/mcp.js';
import { ToolRegistry, type RegisteredTool } from './registry.js';
import { type ListedToolDto, ToolPageDto, ToolQueryDto } from './tool-list.dto.js';

/** Lists the server's tools, whether or not a turn may use them. */
@ApiTags('tools')
@Controller('api/harness/tools')
export class ToolController {
  constructor(
    @Inject(ToolRegistry) private readonly tools: Pick<ToolRegistry, 'list'>,
    @Inject(MCP) private readonly mcp: Pick<Mcp, 'listKnown' | 'listServers'>,
    @Inject(CONFIG) private readonly config: Pick<Config, 'serverTools'>,
    @Optional()
    @Inject(SOURCE_FAULTS)
    private readonly faults?: Pick<SourceFaults, 'list'>,
  ) {}

  /** Tools of the server by name, with those of MCP servers that turns have used here */
  @Get()
  @HarmlessForPages('tools are the server’s')
  @Unowned('tools are the server’s; those that a session brought are not listed')
  @ApiErrors('INVALID_REQUEST')
  listTools(@Query() { cursor, limit }: ToolQueryDto): ToolPageDto {
    // The page token is the last name of the page before.
    if (cursor === '') throw badCursor();
    const all = [
      ...this.tools.list().map((tool) => viewTool(tool, tool.source ?? 'builtin')),
      ...this.mcp.listKnown().map((tool) => viewTool(tool, 'mcp')),
      ...this.config.serverTools.map(viewServerTool),
    ].toSorted((a, b) => compare(a.name, b.name));
    const rest = cursor === undefined ? all : all.filter(({ name }) => compare(name, cursor) > 0);
    const { rows: tools, ...next } = cutPage(rest, limit, ({ name }) => name);
    const faults = (this.faults?.list() ?? []).map(({ file, message, line, column }) => ({
      file,
      message,
      ...compact({ line, column }),
    }));
    return { tools, mcpServers: this.mcp.listServers(), faults, ...next };
  }
}

/** Order by code units, the same in every locale. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function viewTool(tool: RegisteredTool, source: ListedToolDto['source']): ListedToolDto {
  const { name, description, effect, retry, inputSchema } = tool;
  return { name, description, effect, retry, inputSchema, source };
}

const serverToolTexts: Record<ServerToolName, string> = {
  web_search: 'The provider searches the web.',
  web_fetch: 'The provider reads a page of the web.',
  code_execution: 'The provider runs code in a container of its own.',
};

/** A tool that the provider runs: it checks the input, and a lost reply is requested again. */
function viewServerTool({ name, maxUses }: ServerTool): ListedToolDto {
  const most = maxUses === undefined ? '' : ` ${maxUses} times a model call at most.`;
  return {
    name,
    description: serverToolTexts[name] + most,
    effect: 'read',
    retry: 'safe',
    inputSchema: { type: 'object' },
    source: 'provider',
  };
}
