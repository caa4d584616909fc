import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { NeedsScope, Owned, Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApprovalIdDto } from '../../http/id-params.dto.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ApprovalQueryDto } from './approval-query.dto.js';
import { ApprovalService } from './approval-service.js';
import { AnswerDto, ApprovalPageDto, OneApprovalDto } from './approval.dto.js';
import { ExactFields } from '../../http/exact-body.js';

@ApiTags('approvals')
@NeedsScope('approvals')
@Controller('api/harness/approvals')
export class ApprovalController {
  constructor(private readonly approvals: ApprovalService) {}

  @Get()
  @Unowned('The list has what is the caller’s only.')
  @ApiOperation({
    operationId: 'listApprovals',
    summary: 'Approvals, in the order they were asked for; open ones by default',
  })
  @ApiOkResponse({ type: ApprovalPageDto })
  @ApiErrors('INVALID_REQUEST')
  list(@Caller() caller: Principal, @Query() query: ApprovalQueryDto): Promise<ApprovalPageDto> {
    return this.approvals.list(caller.id, query);
  }

  @Get(':id')
  @Owned({ approval: 'params.id' })
  @ApiOperation({ operationId: 'getApproval', summary: 'An approval, open or resolved' })
  @ApiOkResponse({ type: OneApprovalDto })
  @ApiErrors('APPROVAL_NOT_FOUND')
  async get(@Param() { id: approvalId }: ApprovalIdDto): Promise<OneApprovalDto> {
    return { approval: await this.approvals.get(approvalId) };
  }

  @Post(':id')
  @Owned({ approval: 'params.id' })
  @HttpCode(200)
  @ApiOperation({
    operationId: 'answerApproval',
    summary: 'Approve once or for the session, deny, or give the output of a client’s tool',
  })
  @ApiOkResponse({ type: OneApprovalDto })
  @ApiErrors('INVALID_REQUEST', 'APPROVAL_NOT_FOUND', 'APPROVAL_RESOLVED')
  async answer(
    @Param() { id: approvalId }: ApprovalIdDto,
    @Caller() caller: Principal,
    @Body() body: AnswerDto,
    @ExactFields(['input', 'output']) { input, output }: Pick<AnswerDto, 'input' | 'output'>,
  ): Promise<OneApprovalDto> {
    const { decision, message, rule, isError } = body;
    const given = { decision, message, input, rule, output, isError };
    return { approval: await this.approvals.answer(approvalId, given, caller.id) };
  }
}
