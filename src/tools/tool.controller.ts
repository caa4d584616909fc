import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Unowned } from '../access/owned.decorator.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ToolPageDto } from './tool-list.dto.js';
import { ToolListService } from './tool-list-service.js';

@ApiTags('tools')
@Controller('api/harness/tools')
export class ToolController {
  constructor(private readonly tools: ToolListService) {}

  @Get()
  @Unowned('tools are the server’s; those that a session brought are not listed')
  @ApiOperation({
    operationId: 'listTools',
    summary: 'Tools of the server by name, with those of MCP servers that turns have used here',
  })
  @ApiQuery({ name: 'cursor', required: false, description: '`nextCursor` of the page before.' })
  @ApiQuery({ name: 'limit', required: false, description: '1 to 200. Default: 200.' })
  @ApiOkResponse({ type: ToolPageDto })
  @ApiErrors('INVALID_REQUEST')
  list(@Query('cursor') cursor?: unknown, @Query('limit') limit?: unknown) {
    return this.tools.page({ cursor, limit });
  }
}
