import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import { BoundedText, MayBeAbsent } from '../http/fields/field-rules.decorator.js';
import { mustBe } from '../http/fields/field-words.js';
import type { PrincipalReport } from './principal-eraser.js';

export class PrincipalParamsDto {
  @BoundedText({
    max: 64,
    pattern: /^[\w.@-]{1,64}$/,
    expected: "1 to 64 letters, digits, '.', '@', '_' and '-'",
    description: 'Name of the principal.',
  })
  principal!: string;
}

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

export class PrincipalReportDto implements PrincipalReport {
  @Count('Sessions, with those of subagents.')
  sessions!: number;

  @Count('Turns.')
  turns!: number;

  @Count('Turns that have not ended.')
  activeTurns!: number;

  @Count('Messages.')
  messages!: number;

  @Count('Files that were sent and that no turn has named yet.')
  uploads!: number;

  @Count('Files of its sessions and uploads, each content once. Those that others use too stay.')
  files!: number;

  @Count('Bytes of these.')
  fileBytes!: number;

  @Count('API keys.')
  keys!: number;

  @Count('1 where preferences are saved.')
  preferences!: number;

  @Count('Webhooks, which are deleted with what was not delivered yet.')
  webhooks!: number;

  @Count('Files of its memories.')
  memoryFiles!: number;
  @Count('Schedules, which are deleted with the records of their runs.')
  schedules!: number;

  @Count('Days with usage.')
  usageDays!: number;

  @Count('Entries of the audit log that name the principal.')
  auditEntries!: number;

  @ApiProperty({ type: String, description: 'The folder for its projects, on the server.' })
  projectFolder!: string;
}
