import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Post,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/api-errors.decorator.js';
import { ErrorsAs } from '../../http/error-shape.decorator.js';
import type { FrameBatch } from '../../http/frame-batch.js';
import { StreamInterceptor } from '../../http/stream.interceptor.js';
import { ApiOracleStream } from './oracle-api.decorator.js';
import { oracleShape } from './oracle-error-shape.js';
import { parseBusy, parseContextId, parseQuestion } from './oracle-question.js';
import { OracleAnswerDto, OracleHistoryDto } from './oracle-answer.dto.js';
import { OracleService } from './oracle-service.js';
import { OracleCancelDto, OracleForgottenDto, OracleQuestionDto } from './oracle.dto.js';

const questionErrors = [
  'INVALID_REQUEST/fields',
  'SESSION_NOT_FOUND',
  'WORKING_ROOT_INACCESSIBLE',
  'TURN_IN_PROGRESS',
  'QUEUE_FULL',
  'SESSION_LIMIT',
  'SHUTTING_DOWN',
] as const;

const busyQuery = {
  name: 'busy',
  required: false,
  enum: ['interrupt', 'reject'],
  description:
    'While another question of the conversation is answered: `interrupt` (the default) cancels that one, `reject` gives 409.',
};
/** The reason for `@Unowned` on all routes: without a name the newest conversation is meant. */
const looksItself = 'its service looks among the caller’s own';

const contextQuery = { name: 'context_id', required: false, type: String };

@ApiTags('oracle')
@Controller('api/oracle')
@ErrorsAs(oracleShape)
export class OracleController {
  constructor(private readonly oracle: OracleService) {}

  @Post('stream')
  @UseInterceptors(StreamInterceptor)
  @Unowned(looksItself)
  @ApiOperation({ operationId: 'streamAnswer', summary: 'Ask, and stream the answer' })
  @ApiBody({ type: OracleQuestionDto })
  @ApiQuery(busyQuery)
  @ApiOracleStream()
  @ApiErrors(...questionErrors)
  async stream(
    @Body() body: unknown,
    @Query('busy') busy: unknown,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<Observable<FrameBatch>> {
    const asked = { question: parseQuestion(body), busy: parseBusy(busy), principal };
    return this.oracle.stream(asked, response);
  }

  @Post()
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOperation({ operationId: 'askQuestion', summary: 'Ask, and wait for the answer' })
  @ApiBody({ type: OracleQuestionDto })
  @ApiQuery(busyQuery)
  @ApiOkResponse({ type: OracleAnswerDto })
  @ApiErrors(...questionErrors, 'MISSING_API_KEY/question', 'SDK_FAILURE/unreadable')
  ask(
    @Body() body: unknown,
    @Query('busy') busy: unknown,
    @Caller() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OracleAnswerDto> {
    const asked = { question: parseQuestion(body), busy: parseBusy(busy), principal };
    return this.oracle.ask(asked, response);
  }

  @Post('cancel')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelQuestion',
    summary: 'Cancel the newest question that is being answered',
  })
  @ApiQuery(contextQuery)
  @ApiOkResponse({ type: OracleCancelDto })
  @ApiErrors('INVALID_REQUEST/fields')
  async cancel(
    @Query('context_id') contextId: unknown,
    @Caller() caller: Principal,
  ): Promise<OracleCancelDto> {
    return { status: await this.oracle.cancel(parseContextId(contextId), caller.id) };
  }

  @Get('history')
  @Unowned(looksItself)
  @ApiOperation({
    operationId: 'listConversation',
    summary: 'Messages of a conversation, oldest first; of the newest by default',
  })
  @ApiQuery(contextQuery)
  @ApiOkResponse({ type: OracleHistoryDto })
  @ApiErrors('INVALID_REQUEST/fields', 'SESSION_NOT_FOUND')
  history(
    @Query('context_id') contextId: unknown,
    @Caller() caller: Principal,
  ): Promise<OracleHistoryDto> {
    return this.oracle.history(parseContextId(contextId), caller.id);
  }

  @Delete('history')
  @Unowned(looksItself)
  @ApiOperation({
    operationId: 'deleteConversation',
    summary: 'Delete a conversation; the newest by default',
  })
  @ApiQuery(contextQuery)
  @ApiOkResponse({ type: OracleForgottenDto })
  @ApiErrors('INVALID_REQUEST/fields', 'SESSION_NOT_FOUND', 'TURN_IN_PROGRESS')
  async forget(
    @Query('context_id') contextId: unknown,
    @Caller() caller: Principal,
  ): Promise<OracleForgottenDto> {
    const isDone = await this.oracle.forget(parseContextId(contextId), caller.id);
    const message = isDone
      ? 'The conversation was deleted.'
      : 'There was no conversation to delete.';
    return { status: 'ok', message };
  }
}
