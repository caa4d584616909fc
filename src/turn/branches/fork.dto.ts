import { whole } from '../../http/fields/json-schemas.js';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { RequiredText, says } from '../../http/fields/field-rules.decorator.js';
import { SessionRecordDto } from '../../session/session.dto.js';
import { forkPositions, type ForkPosition } from '../../storage/shapes/stored-turn.js';

const positions = forkPositions.join(' or ');

export class ForkSessionDto {
  /**
   * Id of a turn of the session.
   *
   * @example turn_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11
   */
  @RequiredText() turnId!: string;

  /** Whether the fork ends before that turn. */
  @ApiProperty({ enum: forkPositions })
  @IsIn(forkPositions, says(`Missing or invalid '$field': ${positions}`))
  position!: ForkPosition;
}

export class WrittenFilesDto {
  /** Paths as the model gave them, the first hundred. */
  paths!: string[];

  /** Paths beyond these. */
  @ApiProperty(whole) more!: number;

  /** Commands ran, which may have written others. */
  ranCommands!: boolean;

  /** Tools of MCP servers that ran, which may have written others, the first hundred. Absent: none. */
  mcpTools?: string[];
}

export class ForkedSessionDto {
  session!: SessionRecordDto;

  /** The files of the project are as they are now. */
  @ApiProperty({ enum: [false] }) filesReverted!: false;

  /** What turns after the point have written. Absent: nothing. */
  filesWritten?: WrittenFilesDto;
}
