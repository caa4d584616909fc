import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { BoundedText } from '../http/fields/field-rules.decorator.js';
import { mustBe } from '../http/fields/field-words.js';
import { Rule } from '../http/fields/rule.decorator.js';
import { PageDto } from '../http/paging/page.dto.js';
import { isStorable } from '../storage/connection.js';
import type { MemoryQuota } from './commands/memory-command.js';
import { MEMORY_ROOT, parseMemoryPath } from './memory-path.js';
import type { FileView, ListedFileView, MemoryView } from './view-memory.js';

export class AgentNameDto {
  @BoundedText({ max: 200, description: 'Name of the agent that keeps the memory.' })
  agent!: string;
}

const aPath = `the path of a file below ${MEMORY_ROOT}, as '${MEMORY_ROOT}/notes.md'`;

export class FileQueryDto {
  @ApiProperty({ type: String, description: 'Path of the file.', example: '/memories/notes.md' })
  @Transform(({ value }: { value: unknown }) => normalPath(value))
  @IsString(mustBe(aPath))
  @Rule('isMemoryPath', isFilePath, mustBe(aPath))
  path!: string;
}

export class FileContentDto {
  @ApiProperty({ type: String, description: 'The whole content, of text.' })
  @IsString(mustBe('text'))
  @Rule('isStorable', (value) => typeof value === 'string' && isStorable(value), mustBe('text'))
  content!: string;
}

export class MemoryQuotaDto implements MemoryQuota {
  @ApiProperty({ type: 'integer', description: 'Number of files.' })
  files!: number;

  @ApiProperty({ type: 'integer', description: 'Bytes of a file.' })
  fileBytes!: number;

  @ApiProperty({ type: 'integer', description: 'Bytes of all files.' })
  bytes!: number;
}

export class MemoryDto implements MemoryView {
  @ApiProperty({ type: String, description: 'Name of the agent.' })
  agent!: string;

  @ApiProperty({ type: 'integer', description: 'Number of its files.' })
  files!: number;

  @ApiProperty({ type: 'integer', description: 'Bytes of all files.' })
  bytes!: number;

  @ApiProperty({ type: String, format: 'date-time', description: 'Time of the last write.' })
  updatedAt!: string;

  @ApiProperty({ type: MemoryQuotaDto, description: 'The most that it may have.' })
  quota!: MemoryQuotaDto;
}

export class MemoryListDto {
  @ApiProperty({ type: [MemoryDto] })
  memories!: MemoryView[];
}

export class ListedFileDto implements ListedFileView {
  @ApiProperty({ type: String, example: '/memories/notes.md' })
  path!: string;

  @ApiProperty({ type: 'integer', description: 'Rises with each write: the `ETag`.' })
  version!: number;

  @ApiProperty({ type: 'integer' })
  bytes!: number;

  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Turn that wrote it; null: its owner did.',
  })
  turnId!: string | null;
}

export class FileDto extends ListedFileDto implements FileView {
  @ApiProperty({ type: String })
  content!: string;
}

export class FilePageDto extends PageDto {
  @ApiProperty({ type: [ListedFileDto] })
  files!: ListedFileView[];
}

export class OneFileDto {
  @ApiProperty({ type: FileDto })
  file!: FileView;
}

export class DeletedFilesDto {
  @ApiProperty({ type: 'integer', description: 'Number of files that were deleted.' })
  deletedFiles!: number;
}

function isFilePath(value: unknown): boolean {
  const parsed = typeof value === 'string' ? parseMemoryPath(value) : undefined;
  return parsed !== undefined && 'path' in parsed && parsed.path !== MEMORY_ROOT;
}

/** The one spelling of a path; anything else as it was given, for the rule to refuse. */
function normalPath(value: unknown): unknown {
  const parsed = typeof value === 'string' ? parseMemoryPath(value) : undefined;
  return parsed !== undefined && 'path' in parsed ? parsed.path : value;
}
