import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Unowned } from '../access/owned.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ToolPageDto, ToolQueryDto } from './tool-list.dto.js';
import { ToolListService } from './tool-list-service.js';

@ApiTags('tools')
@Controller('api/harness/tools')
export class ToolController {
  constructor(private readonly tools: ToolListService) {}

  /** Tools of the server by name, with those of MCP servers that turns have used here */
  @Get()
  @Unowned('tools are the server’s; those that a session brought are not listed')
  @ApiErrors('INVALID_REQUEST')
  listTools(@Query() query: ToolQueryDto): ToolPageDto {
    return this.tools.page(query);
  }
}
