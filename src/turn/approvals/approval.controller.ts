import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { HarmlessForPages, NeedsScope, Owned, Unowned } from '../../access/owned.decorator.js';
import { boundSession, type Principal } from '../../access/principal.js';
import { ApprovalIdDto } from '../../http/id-params.dto.js';
import { sessionNotFound } from '../../session/session-errors.js';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { ApprovalAnswerer } from './approval-answerer.js';
import {
  AnswerDto,
  ApprovalPageDto,
  ApprovalQueryDto,
  OneApprovalDto,
  viewApproval,
} from './approval.dto.js';
import { ApprovalStore } from './approval-store.js';
import type { ApprovalRow } from './approval-writes.js';
import { ExactFields } from '../../http/request-body.js';

@ApiTags('approvals')
@NeedsScope('approvals')
@Controller('api/harness/approvals')
export class ApprovalController {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly answerer: ApprovalAnswerer,
  ) {}

  /** Approvals, in the order they were asked for; open ones by default */
  @Get()
  @HarmlessForPages('it lists what the session asked alone')
  @Unowned('The list has what is the caller’s only.')
  @ApiErrors('INVALID_REQUEST')
  listApprovals(
    @Caller() caller: Principal,
    @Query() query: ApprovalQueryDto,
  ): Promise<ApprovalPageDto> {
    const bound = boundSession(caller);
    if (bound === undefined) return this.approvals.page(caller.id, query);
    const { sessionId = bound } = query;
    if (sessionId !== bound) throw sessionNotFound(sessionId);
    return this.approvals.page(caller.id, { ...query, sessionId });
  }

  /** An approval, open or resolved */
  @Get(':id')
  @Owned({ approval: 'params.id' })
  @ApiErrors('APPROVAL_NOT_FOUND')
  async getApproval(
    @Param() { id: approvalId }: ApprovalIdDto,
    @Caller() caller: Principal,
  ): Promise<OneApprovalDto> {
    return this.#view(await this.approvals.get(approvalId), caller);
  }

  /** Approve once or for the session, deny, or give the output of a client’s tool */
  @Post(':id')
  @Owned({ approval: 'params.id' })
  @HttpCode(200)
  @ApiErrors('INVALID_REQUEST', 'APPROVAL_NOT_FOUND', 'APPROVAL_RESOLVED', 'FORBIDDEN_APPROVER')
  async answerApproval(
    @Param() { id: approvalId }: ApprovalIdDto,
    @Caller() caller: Principal,
    @Body() body: AnswerDto,
    @ExactFields(['input', 'output', 'content'])
    { input, output, content }: Pick<AnswerDto, 'input' | 'output' | 'content'>,
  ): Promise<OneApprovalDto> {
    const { decision, message, rule, isError } = body;
    const given = { decision, message, input, rule, output, isError, content };
    return this.#view(await this.answerer.answerOne({ approvalId, given }, caller), caller);
  }

  async #view(row: ApprovalRow, { id: requester }: Principal): Promise<OneApprovalDto> {
    const [approval = viewApproval(row)] = await this.approvals.view([row], requester);
    return { approval };
  }
}
