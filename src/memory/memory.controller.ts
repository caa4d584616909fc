import { Body, Controller, Delete, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller } from '../access/caller.decorator.js';
import { Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { PageQueryDto } from '../http/paging/page-query.dto.js';
import { etagOf, parsePrecondition, preconditionMissing } from './memory-errors.js';
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

  /** Your memories: one for each agent */
  @Get()
  @Unowned(areTheCallers)
  async listMemories(@Caller() { id }: Principal): Promise<MemoryListDto> {
    return { memories: await this.memory.list(id) };
  }

  /** The files of a memory, by path, without their content */
  @Get(':agent')
  @Unowned(areTheCallers)
  @ApiErrors('INVALID_REQUEST')
  listMemoryFiles(
    @Param() { agent }: AgentNameDto,
    @Query() query: PageQueryDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<FilePageDto> {
    return this.memory.files({ principalId, agent }, query);
  }

  /** A file with its content; its ETag is what a write of it needs */
  @Get(':agent/file')
  @Unowned(areTheCallers)
  @ApiErrors('INVALID_REQUEST', 'MEMORY_FILE_NOT_FOUND')
  async getMemoryFile(
    @Param() { agent }: AgentNameDto,
    @Query() { path }: FileQueryDto,
    @Caller() { id: principalId }: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OneFileDto> {
    const file = await this.memory.get({ principalId, agent }, path);
    response.set('ETag', etagOf(file.version));
    return { file };
  }

  /** Write a file: a new one, or in place of the one that was read */
  @Put(':agent/file')
  @Unowned(areTheCallers)
  @ApiHeader(ifMatch)
  @ApiHeader(ifNoneMatch)
  @ApiErrors('INVALID_REQUEST', 'MEMORY_OFF', 'MEMORY_FULL', 'MEMORY_CHANGED')
  async putMemoryFile(
    @Param() { agent }: AgentNameDto,
    @Query() { path }: FileQueryDto,
    @Body() { content }: FileContentDto,
    @Headers('if-match') match: string | undefined,
    @Headers('if-none-match') noneMatch: string | undefined,
    @Caller() by: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OneFileDto> {
    const expected = parsePrecondition(match, noneMatch);
    if (expected === undefined) throw preconditionMissing();
    const file = await this.memory.put({ by, agent }, { path, content }, expected);
    response.set('ETag', etagOf(file.version));
    return { file };
  }

  /** Delete a file of a memory */
  @Delete(':agent/file')
  @Unowned(areTheCallers)
  @ApiHeader(ifMatch)
  @ApiErrors('INVALID_REQUEST', 'MEMORY_FILE_NOT_FOUND', 'MEMORY_CHANGED')
  async deleteMemoryFile(
    @Param() { agent }: AgentNameDto,
    @Query() { path }: FileQueryDto,
    @Headers('if-match') match: string | undefined,
    @Caller() by: Principal,
  ): Promise<DeletedFilesDto> {
    const expected = parsePrecondition(match, undefined);
    await this.memory.delete({ by, agent }, path, expected);
    return { deletedFiles: 1 };
  }

  /** Delete all files of a memory */
  @Delete(':agent')
  @Unowned(areTheCallers)
  @ApiErrors('INVALID_REQUEST')
  async deleteMemory(
    @Param() { agent }: AgentNameDto,
    @Caller() by: Principal,
  ): Promise<DeletedFilesDto> {
    return { deletedFiles: await this.memory.deleteAll({ by, agent }) };
  }
}
