import { pipeline } from 'node:stream/promises';
import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller } from '../../access/caller.decorator.js';
import { HarmlessForPages, Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { noteBroken } from '../../http/request-record.js';
import { BodyLimit } from '../../http/request-body.js';
import { UploadService } from './upload-service.js';
import { UploadedDto } from './uploaded.dto.js';

/** Types that a browser shows without running anything of them. */
const shownTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);

@ApiTags('attachments')
@Controller('api/harness/attachments')
export class UploadController {
  constructor(private readonly uploads: UploadService) {}

  /** Send files for a later turn; they are kept for a day unless one uses them */
  @Post()
  @HarmlessForPages('what it takes is new')
  @BodyLimit('unread')
  @Unowned('what it takes is the caller’s')
  @HttpCode(200)
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: {
      type: 'object',
      properties: { files: { type: 'array', items: { type: 'string', format: 'binary' } } },
    },
  })
  @ApiOkResponse({ type: UploadedDto, description: 'Name an `id` in `attachments` of a turn.' })
  @ApiErrors('ATTACHMENT_FAILURE', 'INVALID_REQUEST')
  uploadFiles(@Req() request: Request, @Caller() caller: Principal): Promise<UploadedDto> {
    return this.uploads.upload(request, caller.id);
  }

  /** The bytes of a file of a message, or of an upload */
  @Get(':id')
  @HarmlessForPages('it loads files of the session, and uploads')
  @Unowned('its service looks among the caller’s own')
  @ApiOkResponse({
    description: 'The file as it was stored.',
    content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors('ATTACHMENT_NOT_FOUND')
  async getAttachment(
    @Param('id') id: string,
    @Caller() caller: Principal,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { file, content } = await this.uploads.load(id, caller);
    // The head is sent once a byte is there: until then a store that fails is the answer.
    const begun = await begin(content);
    const isShown = shownTypes.has(file.mimeType);
    response.set({
      'Content-Type': isShown ? file.mimeType : 'application/octet-stream',
      'Content-Length': String(file.size),
      // A page that somebody sent must not run in the server's origin.
      'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': 'private, max-age=3600',
    });
    await pipeline(noting(begun, request), response);
  }
}

/** Waits for the first piece. @throws what the content throws instead. */
async function begin(content: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  let isFirst = true;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (!isFirst) return pieces.next();
        isFirst = false;
        return first;
      },
      return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

/** Notes that the content failed, before the answer is broken off for it. */
async function* noting(
  content: AsyncIterable<Uint8Array>,
  request: Request,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    noteBroken(request);
    throw error;
  }
}
