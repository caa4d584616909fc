import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { BodyLimit } from '../../http/body-limit.decorator.js';
import { UploadService } from './upload-service.js';
import { UploadedDto } from './uploaded.dto.js';

@ApiTags('attachments')
@Controller('api/harness/attachments')
export class UploadController {
  constructor(private readonly uploads: UploadService) {}

  @Post()
  @BodyLimit('unread')
  @Unowned('what it takes is the caller’s')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'uploadFiles',
    summary: 'Send files for a later turn; they are kept for a day unless one uses them',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: {
      type: 'object',
      properties: { files: { type: 'array', items: { type: 'string', format: 'binary' } } },
    },
  })
  @ApiOkResponse({ type: UploadedDto, description: 'Name an `id` in `attachments` of a turn.' })
  @ApiErrors('ATTACHMENT_FAILURE', 'INVALID_REQUEST')
  upload(@Req() request: Request, @Caller() caller: Principal): Promise<UploadedDto> {
    return this.uploads.upload(request, caller.id);
  }
}
