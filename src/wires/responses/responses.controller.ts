import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { BodyLimit } from '../../http/body-limit.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ErrorsAs } from '../../http/errors/error-shape.decorator.js';
import { schemaOf } from '../../http/fields/type-schema.js';
import { cursorOf } from '../../http/paging/after-query.dto.js';
import { parseIdempotencyKey } from '../../http/request-headers.js';
import { WholeAnswer, type FrameStream } from '../../http/streams/frame-batch.js';
import { Streams } from '../../http/streams/stream.interceptor.js';
import { CreateResponseDto } from './create-response.dto.js';
import type { ResponseObject } from './dialect/response-object.js';
import { pageItems, type InputItemsPage } from './input-items.js';
import { DeletedResponseDto, InputItemsDto } from './input-items.dto.js';
import { readRequest } from './read-request.js';
import { InputItemsQueryDto, ResponseIdDto, ResponseQueryDto } from './response-query.dto.js';
import { ApiResponseStream } from './responses-api.decorator.js';
import { responsesShape } from './responses-error-shape.js';
import { ResponsesService } from './responses-service.js';
import { exactFields } from '../../http/exact-body.js';

/** The reason for `@Unowned` on all routes: a response's id is that of a turn in other letters. */
const looksItself = 'its service looks among the caller’s own';

@ApiTags('responses')
@ErrorsAs(responsesShape)
@Controller('v1/responses')
export class ResponsesController {
  constructor(private readonly responses: ResponsesService) {}

  @Post()
  @BodyLimit('conversation')
  @Streams('responses')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'createResponse',
    summary: 'Ask an agent or a model, or answer what it asked',
  })
  @ApiBody({ type: CreateResponseDto })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'A repeat joins the first response.',
  })
  @ApiResponseStream(
    'With `stream` false: the response as JSON, once it is whole; with `background`, at once.',
  )
  @ApiErrors(
    'INVALID_REQUEST',
    'ATTACHMENT_FAILURE',
    'SDK_FAILURE/refused',
    'SESSION_NOT_FOUND',
    'TURN_NOT_FOUND',
    'PERSONA_NOT_FOUND',
    'WORKING_ROOT_INACCESSIBLE',
    'TURN_IN_PROGRESS',
    'APPROVAL_RESOLVED',
    'WORKING_ROOT_CONFLICT',
    'STREAM_EXPIRED',
    'IDEMPOTENCY_KEY_REUSED',
    'QUEUE_FULL',
    'SESSION_QUEUE_FULL',
    'SESSION_LIMIT',
    'TOO_MANY_TURNS',
    'BUDGET_EXHAUSTED',
    'MISSING_API_KEY',
    'SHUTTING_DOWN',
  )
  async create(
    @Body() body: unknown,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('user-agent') userAgent: string | undefined,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream | WholeAnswer> {
    const idempotencyKey = parseIdempotencyKey(key);
    const asked = await readRequest(exactFields(body, 'input'), userAgent);
    return this.responses.create({ asked, principal, idempotencyKey }, response);
  }

  @Get(':id')
  @Streams('responses')
  @Unowned(looksItself)
  @ApiOperation({
    operationId: 'getResponse',
    summary: 'A response as it is now, or its stream from the start or after an event',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the last frame received, in place of `starting_after`.',
  })
  @ApiResponseStream('Without `stream=true`: the response as JSON.')
  @ApiNoContentResponse({ description: 'Nothing comes after the frame of `Last-Event-ID`.' })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'STREAM_EXPIRED')
  async get(
    @Param() { id }: ResponseIdDto,
    @Query() query: ResponseQueryDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream | WholeAnswer> {
    if (query.stream !== 'true') return new WholeAnswer(await this.responses.get(id, principal));
    const range = { after: query.starting_after, lastEventId: cursorOf(lastEventId, query) };
    return this.responses.follow({ responseId: id, principal }, range, response);
  }

  @Post(':id/cancel')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelResponse',
    summary: 'End the turn of a response, and answer with the response once it has ended',
  })
  @ApiOkResponse({ schema: schemaOf('ResponseObject') })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'STREAM_EXPIRED')
  cancel(
    @Param() { id }: ResponseIdDto,
    @Caller() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ResponseObject> {
    return this.responses.cancel(id, principal, response);
  }

  @Delete(':id')
  @Unowned(looksItself)
  @ApiOperation({
    operationId: 'deleteResponse',
    summary: 'Delete a response; what it said stays in a conversation that went on from it',
  })
  @ApiOkResponse({ type: DeletedResponseDto })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  async delete(
    @Param() { id }: ResponseIdDto,
    @Caller() principal: Principal,
  ): Promise<DeletedResponseDto> {
    await this.responses.delete(id, principal);
    return { id, object: 'response', deleted: true };
  }

  @Get(':id/input_items')
  @Unowned(looksItself)
  @ApiOperation({ operationId: 'listInputItems', summary: 'What a response was made for' })
  @ApiOkResponse({ type: InputItemsDto })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  async inputItems(
    @Param() { id }: ResponseIdDto,
    @Query() { after, limit, order }: InputItemsQueryDto,
    @Caller() principal: Principal,
  ): Promise<InputItemsPage> {
    const items = await this.responses.inputItems(id, principal);
    return pageItems(items, { after, limit, order });
  }
}
