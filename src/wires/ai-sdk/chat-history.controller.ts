import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { ChatHistory } from './chat-history.js';
import { ChatListDto, ChatPageDto } from './chat-history.dto.js';
import { ChatPageQueryDto } from './chat-page-query.dto.js';

@ApiTags('ai-sdk')
@Controller('api')
export class ChatHistoryController {
  constructor(private readonly history: ChatHistory) {}

  @Get('chats')
  @Unowned('it lists the caller’s own')
  @ApiOperation({ operationId: 'listChats', summary: 'Chats, the one used last first' })
  @ApiOkResponse({ type: ChatListDto })
  @ApiErrors('INVALID_REQUEST')
  list(@Caller() { id }: Principal, @Query() page: PageQueryDto): Promise<ChatListDto> {
    return this.history.list(id, page);
  }

  @Get('chat/:id')
  @Unowned('its service looks among the caller’s own')
  @ApiOperation({
    operationId: 'readChat',
    summary: 'The last messages of a chat, for a page that is loaded anew',
  })
  @ApiOkResponse({ type: ChatPageDto })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  read(
    @Param('id') chatId: string,
    @Caller() principal: Principal,
    @Query() page: ChatPageQueryDto,
  ): Promise<ChatPageDto> {
    return this.history.read({ chatId, principal }, page);
  }
}
