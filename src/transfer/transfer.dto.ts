import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { EmptyIsAbsent } from '../http/fields/field-rules.decorator.js';
import { mustBe } from '../http/fields/field-words.js';
import { OptionalId } from '../http/fields/id-field.decorator.js';
import type { ImportReport } from './transfer-errors.js';

const principalWords = mustBe("1 to 64 letters, digits, '.', '@', '_' and '-'");

export class ImportQueryDto {
  @ApiProperty({
    type: String,
    description: 'Owner of all sessions of the file. Default: the owner that each has in it.',
  })
  @EmptyIsAbsent()
  @Matches(/^[\w.@-]{1,64}$/, principalWords)
  principal?: string | undefined;
}

export class ExportQueryDto {
  @OptionalId('sess', 'The one session to export.')
  sessionId?: string | undefined;

  @ApiProperty({ type: String, description: 'Owner of the sessions. Default: all.' })
  @EmptyIsAbsent()
  @Matches(/^[\w.@-]{1,64}$/, principalWords)
  principal?: string | undefined;
}

export class ImportReportDto implements ImportReport {
  @ApiProperty({
    type: 'integer',
    description: 'Sessions that were stored, without those of subagents.',
  })
  imported!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Sessions that were here already, or were deleted while they were exported.',
  })
  skipped!: number;

  @ApiProperty({ type: [String], description: 'Ids of these, the first hundred.' })
  skippedSessions!: string[];

  @ApiProperty({
    type: 'integer',
    description: 'Turns that had not ended, and were stored as interrupted.',
  })
  interruptedTurns!: number;

  @ApiProperty({ type: 'integer', description: 'Files of memories that were stored.' })
  importedMemoryFiles!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Files of memories whose path was taken: what is here stays.',
  })
  skippedMemoryFiles!: number;
}
