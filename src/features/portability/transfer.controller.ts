import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiOkResponse,
  ApiTags,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, NeedsScope, Owned, type Principal, Unowned } from '../../access/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { ApiErrors, BodyLimit, RequestBody, SessionIdDto, writeLines } from '../../http/face.js';
import { type Clock, CLOCK, type Logger, LOGGER } from '../../platform/face.js';
import { SessionExporter, type ExportSelection } from './session-exporter.js';
import { SessionImporter } from './session-importer.js';
import { ExportQueryDto, ImportQueryDto, ImportReportDto } from './portability.dto.js';

const linesType = 'application/x-ndjson';
const line = { type: 'object', required: ['type'], properties: { type: { type: 'string' } } };
const exported: ApiResponseOptions = {
  description: 'Lines of JSON, from a `header` to an `end`: see `docs/operate/backup.md`.',
  content: { [linesType]: { schema: line } },
};

/** Sessions as files. */
@ApiTags('transfer')
@Controller('api')
export class TransferController {
  constructor(
    private readonly exporter: SessionExporter,
    private readonly importer: SessionImporter,
    @Inject(CONFIG) private readonly config: Pick<Config, 'readerTimeoutMs' | 'receiveTimeoutMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A session with its turns and files, to keep or to import elsewhere */
  @Get('harness/sessions/:id/export')
  @Owned({ session: 'params.id' })
  @ApiOkResponse(exported)
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  exportSession(
    @Param() { id: sessionId }: SessionIdDto,
    @Caller() caller: Principal,
    @Res() response: Response,
  ): Promise<void> {
    return this.#export({ sessionId }, caller, response);
  }

  /** The sessions of all principals, of one, or one session, with turns and files */
  @Get('admin/export')
  @NeedsScope('admin')
  @Unowned('an operator moves the sessions of all principals')
  @ApiOkResponse(exported)
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  exportSessions(
    @Query() { sessionId, principal: principalId }: ExportQueryDto,
    @Caller() caller: Principal,
    @Res() response: Response,
  ): Promise<void> {
    return this.#export({ sessionId, principalId }, caller, response);
  }

  /** Store the sessions of an export that are not here, each whole or not at all */
  @Post('admin/import')
  @NeedsScope('admin')
  @HttpCode(200)
  @BodyLimit('unread')
  @Unowned('an operator moves the sessions of all principals')
  @ApiConsumes(linesType)
  @ApiBody({ schema: line, description: 'An export.' })
  @ApiErrors('INVALID_REQUEST', 'IMPORT_INVALID', 'IMPORT_TOO_NEW', 'SESSION_LIMIT')
  importSessions(
    @Req() request: Request,
    @Query() { principal: principalId }: ImportQueryDto,
    @Caller() by: Principal,
  ): Promise<ImportReportDto> {
    // A file has no largest size: memory has a line of it, and the disk a session.
    const limits = {
      maxRequestBytes: Number.MAX_SAFE_INTEGER,
      idleMs: this.config.receiveTimeoutMs,
    };
    return new RequestBody(request, limits, this.clock).receive((body) =>
      this.importer.import(body.read(), { principalId, by }),
    );
  }

  async #export(selection: ExportSelection, by: Principal, response: Response): Promise<void> {
    const { clock, logger, config } = this;
    const lines = await this.exporter.open(selection, by);
    const name = selection.sessionId ?? 'sessions';
    const head = {
      'Content-Type': linesType,
      'Content-Disposition': `attachment; filename="${name}.jsonl"`,
      'Cache-Control': 'no-store',
    };
    await writeLines(response, lines, { clock, logger, timeoutMs: config.readerTimeoutMs, head });
  }
}
