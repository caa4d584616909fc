import { Body, Controller, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { NoNewSessionForPages, Owned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { SessionIdDto } from '../../http/id-params.dto.js';
import { ApiOptionalHeader, parseIdempotencyKey } from '../../http/request-headers.js';
import { ForkedSessionDto, ForkSessionDto } from './fork.dto.js';
import { SessionForker } from './session-forker.js';

@ApiTags('sessions')
@Controller('api/harness/sessions')
export class ForkController {
  constructor(private readonly forker: SessionForker) {}

  /** Begin a session with the history of another one up to a turn */
  @Post(':id/fork')
  @NoNewSessionForPages()
  @Owned({ session: 'params.id' })
  @HttpCode(200)
  @ApiOptionalHeader('Idempotency-Key', 'A repeat answers with the first fork.')
  @ApiErrors(
    'INVALID_REQUEST',
    'SESSION_NOT_FOUND',
    'TURN_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
    'SESSION_LIMIT',
  )
  forkSession(
    @Param() { id: sessionId }: SessionIdDto,
    @Body() { turnId, position }: ForkSessionDto,
    @Headers('idempotency-key') key: string | undefined,
    @Caller() { credential }: Principal,
  ): Promise<ForkedSessionDto> {
    const idempotencyKey = parseIdempotencyKey(key);
    return this.forker.fork(sessionId, { turnId, credential, position, idempotencyKey });
  }
}
