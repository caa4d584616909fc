import {
  EmptyIsAbsent,
  MayBeAbsent,
  mustBe,
  OptionalId,
  RequestForm,
  whole,
} from '../../http/face.js';
import { ApiProperty } from '@nestjs/swagger';
import { Matches, IsBoolean } from 'class-validator';
import { Transform } from 'class-transformer';
import { principalForm, principalFormWords } from '../../access/face.js';

const principalWords = mustBe(principalFormWords);

@RequestForm({ closed: 'The query' })
export class ImportQueryDto {
  @ApiProperty({
    type: String,
    description: 'Owner of all sessions of the file. Default: the owner that each has in it.',
  })
  @EmptyIsAbsent()
  @Matches(principalForm, principalWords)
  principal?: string | undefined;
}

@RequestForm({ closed: 'The query' })
export class ExportQueryDto {
  @OptionalId('sess', 'The one session to export.') sessionId?: string | undefined;

  @ApiProperty({ type: String, description: 'Owner of the sessions. Default: all.' })
  @EmptyIsAbsent()
  @Matches(principalForm, principalWords)
  principal?: string | undefined;
}

/** What an import has done. */
export class ImportReportDto {
  /** Sessions that were stored, without those of subagents. */
  @ApiProperty(whole) imported!: number;
  /** Sessions that were here already, or were deleted while they were exported. */
  @ApiProperty(whole) skipped!: number;
  /** Ids of these, the first hundred. */
  skippedSessions!: string[];
  /** Turns that had not ended, and were stored as interrupted. */
  @ApiProperty(whole) interruptedTurns!: number;
  /** Files of memories that were stored. */
  @ApiProperty(whole) importedMemoryFiles!: number;
  /** Files of memories whose path was taken: what is here stays. */
  @ApiProperty(whole) skippedMemoryFiles!: number;
}

@RequestForm({ closed: 'The query' })
export class ForgetQueryDto {
  @ApiProperty({
    type: Boolean,
    description: 'Whether the principal’s project folder is deleted too. Default: false.',
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) =>
    value === 'true' ? true : value === 'false' ? false : value,
  )
  @IsBoolean(mustBe('true or false'))
  projects?: boolean;
}

function Count(description: string) {
  return ApiProperty({ type: 'integer', description });
}

/** A principal's data, before or after its erasure. */
export class PrincipalReportDto {
  @Count('Sessions, with those of subagents.') sessions!: number;
  @Count('Turns.') turns!: number;
  @Count('Turns that have not ended.') activeTurns!: number;
  @Count('Messages.') messages!: number;
  @Count('Files that were sent and that no turn has named yet.') uploads!: number;

  @Count('Files of its sessions and uploads, each content once. Those that others use too stay.')
  files!: number;

  @Count('Bytes of these.') fileBytes!: number;
  @Count('API keys.') keys!: number;
  @Count('1 where preferences are saved.') preferences!: number;
  @Count('Webhooks, which are deleted with what was not delivered yet.') webhooks!: number;
  @Count('Files of its memories.') memoryFiles!: number;
  @Count('Schedules, which are deleted with the records of their runs.') schedules!: number;
  @Count('Days with usage.') usageDays!: number;
  @Count('Entries of the audit log that name the principal.') auditEntries!: number;
  /** The folder for its projects, on the server. */
  projectFolder!: string;
}
