import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { verdicts, type Finding, type Verdict } from '../../project-files/finding.js';
import { projectFilesKinds, type ProjectFilesKind } from '../../storage/shapes/stored-options.js';

/** What becomes of a file of a project, or of a key of it. */
export class FindingDto implements Finding {
  /** @example .claude/settings.json */
  file!: string;
  /** Absent: the whole file. @example permissions.deny[0] */
  key?: string;
  @ApiProperty({ enum: verdicts }) verdict!: Verdict;
  how!: string;
}

export class ProjectFilesDto {
  /** Whose files the session takes. Absent: none. */
  @ApiPropertyOptional({ enum: projectFilesKinds }) files?: ProjectFilesKind;
  /** Whether the operator trusts the folder: its files may allow calls, and start commands. */
  isTrusted!: boolean;
  findings!: FindingDto[];
}
