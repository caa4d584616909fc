import { ApiProperty } from '@nestjs/swagger';
import { RequiredText } from '../../http/face.js';
import type { CancelState } from '../../turn/face.js';

export class InterruptDto {
  /** Id of the session whose turn is to end. */
  @RequiredText() sessionId!: string;
}

export class InterruptedDto {
  @ApiProperty({ type: Boolean, enum: [true] }) ok!: true;
  /** The turn that was asked to end. */
  turnId!: string;
  /** Where it was: `ended` had not begun, and has ended; `running` and `in-tool` end shortly, on their stream. */
  @ApiProperty({ enum: ['ended', 'running', 'in-tool'] }) state!: CancelState;
}

export class OkDto {
  @ApiProperty({ type: Boolean, enum: [true] }) ok!: true;
}
