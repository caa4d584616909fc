import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { BoundedText, Rule, mustBe } from '../http/fields/field-rules.decorator.js';
import { time, whole } from '../http/fields/json-schemas.js';
import { PageDto } from '../http/paging/page-query.dto.js';
import { isStorable } from '../storage/connection.js';
import type { memoryFiles } from '../storage/file-schema.js';
import type { MemoryQuota } from './commands/memory-command.js';
import { MEMORY_ROOT, parseMemoryPath } from './memory-path.js';

export class AgentNameDto {
  /** Name of the agent that keeps the memory. */
  @BoundedText({ max: 200 }) agent!: string;
}

const aPath = `the path of a file below ${MEMORY_ROOT}, as '${MEMORY_ROOT}/notes.md'`;

export class FileQueryDto {
  /**
   * Path of the file.
   *
   * @example /memories/notes.md
   */
  @Transform(({ value }: { value: unknown }) => normalPath(value))
  @IsString(mustBe(aPath))
  @Rule('isMemoryPath', isFilePath, mustBe(aPath))
  path!: string;
}

export class FileContentDto {
  /** The whole content, of text. */
  @IsString(mustBe('text'))
  @Rule('isStorable', (value) => typeof value === 'string' && isStorable(value), mustBe('text'))
  content!: string;
}

export class MemoryQuotaDto implements MemoryQuota {
  /** Number of files. */
  @ApiProperty(whole) files!: number;
  /** Bytes of a file. */
  @ApiProperty(whole) fileBytes!: number;
  /** Bytes of all files. */
  @ApiProperty(whole) bytes!: number;
}

export class MemoryDto {
  /** Name of the agent. */
  agent!: string;
  /** Number of its files. */
  @ApiProperty(whole) files!: number;
  /** Bytes of all files. */
  @ApiProperty(whole) bytes!: number;
  /** Time of the last write. */
  @ApiProperty(time) updatedAt!: string;
  /** The most that it may have. */
  quota!: MemoryQuotaDto;
}

export class MemoryListDto {
  memories!: MemoryDto[];
}

/** A file of a memory, without its content. */
export class ListedFileDto {
  /** @example /memories/notes.md */
  path!: string;
  /** Rises with each write: the `ETag`. */
  @ApiProperty(whole) version!: number;
  @ApiProperty(whole) bytes!: number;
  @ApiProperty(time) updatedAt!: string;
  /** Turn that wrote it; null: its owner did. */
  turnId!: string | null;
}

export class FileDto extends ListedFileDto {
  content!: string;
}

export class FilePageDto extends PageDto {
  files!: ListedFileDto[];
}

export class OneFileDto {
  file!: FileDto;
}

export class DeletedFilesDto {
  /** Number of files that were deleted. */
  @ApiProperty(whole) deletedFiles!: number;
}

type FileRow = typeof memoryFiles.$inferSelect;

export function viewListedFile(
  file: Pick<FileRow, 'path' | 'version' | 'bytes' | 'turnId' | 'updatedAt'>,
): ListedFileDto {
  const { path, version, bytes, turnId, updatedAt } = file;
  return { path, version, bytes, updatedAt: updatedAt.toISOString(), turnId };
}

export function viewFile(file: FileRow): FileDto {
  return { ...viewListedFile(file), content: file.content };
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
