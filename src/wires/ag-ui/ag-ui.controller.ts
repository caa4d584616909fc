import { Body, Controller, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { callerOf, ForPages, Owned, Unowned } from '../../access/face.js';
import {
  ApiErrors,
  ApiOptionalHeader,
  ApiStream,
  BodyLimit,
  cursorOf,
  ErrorsAs,
  exactFields,
  frameOf,
  type FrameStream,
  parseIdempotencyKey,
  Streams,
} from '../../http/face.js';
import { DEFAULT_PERSONA } from '../../agents/face.js';
import { problemShape } from '../named-agents/named-agents-errors.js';
import { RunQueryDto, RunAgentInputDto } from './ag-ui.dto.js';
import { AgUiService } from './ag-ui-service.js';
import { streamErrors, turnErrors } from '../../turn/face.js';

/** Documents the stream of a route. */
const ApiRunStream = () =>
  ApiStream({
    wire: 'ag-ui',
    description:
      'Server-Sent Events: events of [AG-UI](https://docs.ag-ui.com) 1.0, from `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`. Every frame has an `id`; `Location` is where the stream goes on after it.',
    frames: [frameOf({ $ref: getSchemaPath('AgUiEvent') })],
  });

@ApiTags('ag-ui')
@ErrorsAs(problemShape)
@Controller()
export class AgUiController {
  constructor(private readonly agUi: AgUiService) {}

  @Post(['agent/:name/ag-ui', 'awp'])
  @ForPages({
    type: 'bound',
    why: 'a thread that is named by the id of a session is that session',
    session: 'body.threadId',
  })
  @BodyLimit('conversation')
  @Streams('ag-ui')
  @Unowned('its service looks among the caller’s own')
  // The name is set here, because the generated name of a route with two paths contains a number.
  @ApiOperation({
    operationId: 'runAgent',
    summary: 'Run an agent by the AG-UI protocol; at `/awp` the default one',
  })
  @ApiBody({ type: RunAgentInputDto })
  @ApiOptionalHeader('Idempotency-Key', 'In place of the runId.')
  @ApiRunStream()
  @ApiErrors(
    'FORBIDDEN_AGENT',
    'NO_APPROVERS',
    'PERSONA_NOT_FOUND',
    'SESSION_NOT_FOUND',
    'TURN_NOT_FOUND',
    'APPROVAL_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'TURN_SUPERSEDED',
    'APPROVAL_RESOLVED',
    'FORBIDDEN_APPROVER',
    'STREAM_EXPIRED',
    'QUEUE_FULL',
    'SESSION_LIMIT',
    'SESSION_QUEUE_FULL',
    ...turnErrors,
  )
  async run(
    @Param('name') agent: string = DEFAULT_PERSONA,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const principal = callerOf(response.req);
    return this.agUi.run(
      {
        agent,
        principal,
        body: exactFields(body, 'messages', 'resume'),
        idempotencyKey: parseIdempotencyKey(key),
      },
      response,
    );
  }

  /** Go on with a run’s stream, from its start or after a cursor */
  @Get('agent/:name/ag-ui/:turnId')
  @Streams('ag-ui')
  @Owned({ turn: 'params.turnId' })
  @ApiOptionalHeader('Last-Event-ID', 'Id of the last frame received.')
  @ApiRunStream()
  @ApiNoContentResponse({ description: 'There is nothing after the cursor, and never will be.' })
  @ApiErrors(...streamErrors)
  async resumeRun(
    @Param() { name: agent, turnId }: { name: string; turnId: string },
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query() query: RunQueryDto,
    @Res() response: Response,
  ): Promise<FrameStream> {
    return this.agUi.resume({ agent, turnId, query }, cursorOf(lastEventId, query), response);
  }
}
