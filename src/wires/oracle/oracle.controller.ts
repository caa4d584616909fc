import { Body, Controller, Delete, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, type Principal, Unowned } from '../../access/face.js';
import {
  ApiErrors,
  ApiStream,
  ErrorsAs,
  frameOf,
  type FrameStream,
  Streams,
} from '../../http/face.js';
import { oracleShape } from './oracle-errors.js';
import {
  BusyQueryDto,
  ContextQueryDto,
  OracleQuestionDto,
  OracleAnswerDto,
  OracleHistoryDto,
  OracleCancelDto,
  OracleForgottenDto,
} from './oracle.dto.js';
import { OracleService } from './oracle-service.js';

const questionErrors = [
  'FORBIDDEN_AGENT',
  'NO_APPROVERS',
  'INVALID_REQUEST/fields',
  'SESSION_NOT_FOUND',
  'WORKING_ROOT_INACCESSIBLE',
  'TURN_IN_PROGRESS',
  'QUEUE_FULL',
  'SESSION_LIMIT',
  'SHUTTING_DOWN',
] as const;

/** The reason for `@Unowned` on all routes: without a name the newest conversation is meant. */
const looksItself = 'its service looks among the caller’s own';

/** Types of the chunks and their fields, for the documentation. */
const chunks: Record<string, string> = {
  thinking: 'content',
  content: 'content',
  source: 'source: path, source_type, snippet?, metadata; after the last content',
  tool_call: 'tool_call: id, name, arguments (JSON), status',
  tool_result: 'tool_call_id, tool_result (at most 2,000 characters), metadata.order',
  status: 'message',
  context_update: 'context_tokens, max_context_tokens',
  system:
    'system_type (limit_warning, limit_reached, no_progress, error_limit, tool_limit, options_ignored, content_discarded: `metadata.content` replaces all content before it), system_message, metadata?',
  done: 'answer (the whole of it), tokens_used, model_used?, context_id?, context_tokens?, max_context_tokens?, metadata? (termination_reason, turns_used, max_turns); the last one',
  error:
    'error, context_id?, metadata? (termination_reason, status?, retryable, retryAfterMs?, requestId?); the last one, or before `done` where it was cancelled',
};

/** Documents the stream of a route. */
function ApiOracleStream() {
  const rows = Object.entries(chunks).map(([type, fields]) => `- \`${type}\`: ${fields}`);
  return ApiStream({
    wire: 'oracle',
    description: [
      'Server-Sent Events without a name. Data is one line of JSON with a `type` and these fields:',
      '',
      ...rows,
    ].join('\n'),
    frames: [frameOf({ $ref: getSchemaPath('OracleChunk') })],
  });
}

@ApiTags('oracle')
@Controller('api/oracle')
@ErrorsAs(oracleShape)
export class OracleController {
  constructor(private readonly oracle: OracleService) {}

  /** Ask, and stream the answer */
  @Post('stream')
  @Streams('oracle')
  @Unowned(looksItself)
  @ApiOracleStream()
  @ApiErrors(...questionErrors)
  async streamAnswer(
    @Body() question: OracleQuestionDto,
    @Query() { busy }: BusyQueryDto,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream> {
    return this.oracle.stream({ question, busy, principal }, response);
  }

  /** Ask, and wait for the answer */
  @Post()
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiErrors(...questionErrors, 'MISSING_API_KEY/question', 'SDK_FAILURE/unreadable')
  askQuestion(
    @Body() question: OracleQuestionDto,
    @Query() { busy }: BusyQueryDto,
    @Caller() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OracleAnswerDto> {
    return this.oracle.ask({ question, busy, principal }, response);
  }

  /** Cancel the newest question that is being answered */
  @Post('cancel')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiErrors('INVALID_REQUEST/fields')
  async cancelQuestion(
    @Query() { context_id }: ContextQueryDto,
    @Caller() caller: Principal,
  ): Promise<OracleCancelDto> {
    return { status: await this.oracle.cancel(context_id, caller) };
  }

  /** Messages of a conversation, oldest first; of the newest by default */
  @Get('history')
  @Unowned(looksItself)
  @ApiErrors('INVALID_REQUEST/fields', 'SESSION_NOT_FOUND')
  listConversation(
    @Query() { context_id }: ContextQueryDto,
    @Caller() caller: Principal,
  ): Promise<OracleHistoryDto> {
    return this.oracle.history(context_id, caller.id);
  }

  /** Delete a conversation; the newest by default */
  @Delete('history')
  @Unowned(looksItself)
  @ApiErrors('INVALID_REQUEST/fields', 'SESSION_NOT_FOUND', 'TURN_IN_PROGRESS')
  async deleteConversation(
    @Query() { context_id }: ContextQueryDto,
    @Caller() caller: Principal,
  ): Promise<OracleForgottenDto> {
    const isDone = await this.oracle.forget(context_id, caller);
    const message = isDone
      ? 'The conversation was deleted.'
      : 'There was no conversation to delete.';
    return { status: 'ok', message };
  }
}
