import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { HarmlessForPages, NeedsScope, Owned, Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApprovalIdDto } from '../../http/id-params.dto.js';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { ExactFields } from '../../http/request-body.js';
import { ApprovalAnswerer } from './approval-answerer.js';
import {
  AnswerDto,
  AwaitedApprovalPageDto,
  AwaitedApprovalQueryDto,
  OneAwaitedApprovalDto,
} from './approval.dto.js';
import { AwaitedApprovals } from './awaited-approvals.js';

/** What others ask, for those who decide about it: the call, and nothing else of its session. */
@ApiTags('approvals')
@NeedsScope('approvals')
@Controller('api/harness/awaited-approvals')
export class AwaitedApprovalController {
  constructor(
    private readonly awaited: AwaitedApprovals,
    private readonly answerer: ApprovalAnswerer,
  ) {}

  /** Open approvals of others that await you, in the order they were asked for */
  @Get()
  @HarmlessForPages('it lists what the session asked alone')
  @Unowned('The list has what awaits the caller’s roles only.')
  @ApiErrors('INVALID_REQUEST')
  listAwaitedApprovals(
    @Caller() caller: Principal,
    @Query() query: AwaitedApprovalQueryDto,
  ): Promise<AwaitedApprovalPageDto> {
    return this.awaited.page(caller, query);
  }

  /** An approval that people with a role decide, open or resolved */
  @Get(':id')
  @Owned({ awaited: 'params.id' })
  @ApiErrors('APPROVAL_NOT_FOUND')
  async getAwaitedApproval(
    @Param() { id: approvalId }: ApprovalIdDto,
    @Caller() caller: Principal,
  ): Promise<OneAwaitedApprovalDto> {
    return { approval: await this.awaited.get(approvalId, caller) };
  }

  /** Approve or deny a call of somebody else, as one of those whom it awaits */
  @Post(':id')
  @Owned({ awaited: 'params.id' })
  @HttpCode(200)
  @ApiErrors('INVALID_REQUEST', 'APPROVAL_NOT_FOUND', 'APPROVAL_RESOLVED', 'FORBIDDEN_APPROVER')
  async answerAwaitedApproval(
    @Param() { id: approvalId }: ApprovalIdDto,
    @Caller() caller: Principal,
    @Body() body: AnswerDto,
    @ExactFields(['input', 'output']) { input, output }: Pick<AnswerDto, 'input' | 'output'>,
  ): Promise<OneAwaitedApprovalDto> {
    // An approval that its requester decides is not answered here.
    await this.awaited.get(approvalId, caller);
    const { decision, message, rule, isError } = body;
    const given = { decision, message, input, rule, output, isError };
    await this.answerer.answerOne({ approvalId, given }, caller);
    return { approval: await this.awaited.get(approvalId, caller) };
  }
}
