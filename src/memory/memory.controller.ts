import { Body, Controller, Delete, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller } from '../access/caller.decorator.js';
import { Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { badCursor, PageQueryDto } from '../http/paging/page-query.dto.js';
import { compact } from '../platform/compact.js';
import { preconditionMissing, etagOf, parsePrecondition } from './memory-errors.js';
import {
  AgentNameDto,
  DeletedFilesDto,
  FileContentDto,
  FilePageDto,
  FileQueryDto,
  MemoryListDto,
  OneFileDto,
} from './memory.dto.js';
import { OwnerMemory } from './owner-memory.js';
import { parseMemoryPath } from './memory-path.js';
import { viewFile, viewListedFile, viewMemory } from './view-memory.js';

const areTheCallers = 'they are the caller’s memories';
const ifMatch = {
  name: 'If-Match',
  required: false,
  description: 'The `ETag` of the file as it was read; `*`: any that is there.',
};
const ifNoneMatch = { name: 'If-None-Match', required: false, description: '`*`: a new file.' };

@ApiTags('memory')
@Controller('api/harness/memory')
export class MemoryController {
  constructor(private readonly memory: OwnerMemory) {}

  @Get()
  @Unowned(areTheCallers)
  @ApiOperation({ operationId: 'listMemories', summary: 'Your memories: one for each agent' })
  @ApiOkResponse({ type: MemoryListDto })
  async list(@Caller() { id }: Principal): Promise<MemoryListDto> {
    const { quota } = this.memory;
    return { memories: (await this.memory.list(id)).map((one) => viewMemory(one, quota)) };
  }

  @Get(':agent')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'listMemoryFiles',
    summary: 'The files of a memory, by path, without their content',
  })
  @ApiOkResponse({ type: FilePageDto })
  @ApiErrors('INVALID_REQUEST')
  async files(
    @Param() { agent }: AgentNameDto,
    @Query() { cursor, limit }: PageQueryDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<FilePageDto> {
    if (cursor !== undefined && 'problem' in parseMemoryPath(cursor)) throw badCursor();
    const key = { principalId, agent };
    const found = await this.memory.files(key, { after: cursor, limit: limit + 1 });
    const page = found.slice(0, limit);
    const nextCursor = found.length > limit ? page.at(-1)?.path : undefined;
    return { files: page.map(viewListedFile), ...compact({ nextCursor }) };
  }

  @Get(':agent/file')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'getMemoryFile',
    summary: 'A file with its content; its ETag is what a write of it needs',
  })
  @ApiOkResponse({ type: OneFileDto })
  @ApiErrors('INVALID_REQUEST', 'MEMORY_FILE_NOT_FOUND')
  async get(
    @Param() { agent }: AgentNameDto,
    @Query() { path }: FileQueryDto,
    @Caller() { id: principalId }: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OneFileDto> {
    const file = await this.memory.get({ principalId, agent }, path);
    response.set('ETag', etagOf(file.version));
    return { file: viewFile(file) };
  }

  @Put(':agent/file')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'putMemoryFile',
    summary: 'Write a file: a new one, or in place of the one that was read',
  })
  @ApiHeader(ifMatch)
  @ApiHeader(ifNoneMatch)
  @ApiOkResponse({ type: OneFileDto })
  @ApiErrors('INVALID_REQUEST', 'MEMORY_OFF', 'MEMORY_FULL', 'MEMORY_CHANGED')
  async put(
    @Param() { agent }: AgentNameDto,
    @Query() { path }: FileQueryDto,
    @Body() { content }: FileContentDto,
    @Headers('if-match') match: string | undefined,
    @Headers('if-none-match') noneMatch: string | undefined,
    @Caller() { id: principalId }: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OneFileDto> {
    const expected = parsePrecondition(match, noneMatch);
    if (expected === undefined) throw preconditionMissing();
    const file = await this.memory.put({ principalId, agent }, { path, content }, expected);
    response.set('ETag', etagOf(file.version));
    return { file: viewFile(file) };
  }

  @Delete(':agent/file')
  @Unowned(areTheCallers)
  @ApiOperation({ operationId: 'deleteMemoryFile', summary: 'Delete a file of a memory' })
  @ApiHeader(ifMatch)
  @ApiOkResponse({ type: DeletedFilesDto })
  @ApiErrors('INVALID_REQUEST', 'MEMORY_FILE_NOT_FOUND', 'MEMORY_CHANGED')
  async delete(
    @Param() { agent }: AgentNameDto,
    @Query() { path }: FileQueryDto,
    @Headers('if-match') match: string | undefined,
    @Caller() { id: principalId }: Principal,
  ): Promise<DeletedFilesDto> {
    const expected = parsePrecondition(match, undefined);
    await this.memory.delete({ principalId, agent }, path, expected);
    return { deletedFiles: 1 };
  }

  @Delete(':agent')
  @Unowned(areTheCallers)
  @ApiOperation({ operationId: 'deleteMemory', summary: 'Delete all files of a memory' })
  @ApiOkResponse({ type: DeletedFilesDto })
  @ApiErrors('INVALID_REQUEST')
  async deleteAll(
    @Param() { agent }: AgentNameDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<DeletedFilesDto> {
    return { deletedFiles: await this.memory.deleteAll({ principalId, agent }) };
  }
}
