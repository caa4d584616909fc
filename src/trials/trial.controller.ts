import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Caller } from '../access/caller.decorator.js';
import { KeysNeedScope, NeverForPages, Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { ListedMcpServerDto } from '../tools/tool-list.dto.js';
import { ServerStartDto, TrialDto, TrialResultDto } from './trial.dto.js';
import { ToolTrials } from './tool-trials.js';

@ApiTags('admin')
@Controller('api/admin/tools')
@KeysNeedScope('admin')
export class TrialController {
  constructor(private readonly trials: ToolTrials) {}

  /** Run a tool of yours or of an MCP server once, without a model */
  @Post('try')
  @HttpCode(200)
  @NeverForPages()
  @Unowned('the call is of no session; the scope admin is for it')
  @ApiErrors(
    'INVALID_REQUEST',
    'TOOL_NOT_FOUND',
    'TOOL_TRIAL_DENIED',
    'TOOL_TRIAL_UNCONFIRMED',
    'TOOL_TRIAL_UNSUPPORTED',
  )
  async tryTool(
    @Body() trial: TrialDto,
    @Caller() by: Principal,
    @Req() request: Request,
  ): Promise<TrialResultDto> {
    const gone = new AbortController();
    request.res?.once('close', () => gone.abort());
    return this.trials.run(trial, by, gone.signal);
  }

  /** Start an MCP server of the configuration, and list its tools */
  @Post('start')
  @HttpCode(200)
  @NeverForPages()
  @Unowned('the servers are the server’s; the scope admin is for it')
  @ApiErrors('INVALID_REQUEST', 'TOOL_NOT_FOUND')
  async startServer(
    @Body() { server }: ServerStartDto,
    @Caller() by: Principal,
    @Req() request: Request,
  ): Promise<ListedMcpServerDto> {
    const gone = new AbortController();
    request.res?.once('close', () => gone.abort());
    return this.trials.start(server, by, gone.signal);
  }
}
