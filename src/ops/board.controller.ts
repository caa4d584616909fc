import { Controller, Get, Headers, HttpCode, Next, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { boardCookie } from './board-cookie.js';
import { Caller } from '../access/caller.decorator.js';
import { KeysNeedScope, Open, Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { BOARD_PATH, BoardService } from './board-service.js';
import { OpenedBoardDto } from './board.dto.js';

@ApiTags('admin')
@Controller()
export class BoardController {
  constructor(private readonly board: BoardService) {}

  @Post('api/admin/board-session')
  @HttpCode(200)
  @KeysNeedScope('admin')
  @Unowned('the queue is the server’s')
  @ApiOperation({
    operationId: 'openBoard',
    summary: 'Open the board of the queue to the browser that asks, by a cookie',
  })
  @ApiOkResponse({ type: OpenedBoardDto })
  async open(
    @Caller() { keyId }: Principal,
    @Headers('origin') origin: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OpenedBoardDto> {
    const { url, session } = await this.board.openSession(keyId);
    if (session === undefined) return { url, expiresAt: null };
    response.setHeader('Set-Cookie', boardCookie(session.token, { path: BOARD_PATH, origin }));
    return { url, expiresAt: session.expiresAt };
  }

  /** The board is read-only: it gets GET requests alone, whatever it could do. */
  @Get([BOARD_PATH, `${BOARD_PATH}/*path`])
  @Open('a page that is opened sends no key: its cookie is looked at here')
  @ApiExcludeEndpoint()
  show(
    @Req() request: Request,
    @Res() response: Response,
    @Next() next: NextFunction,
  ): Promise<void> {
    return this.board.show(request, response, next);
  }
}
