import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsString } from 'class-validator';
import { OptionalTexts, RequiredText, wrong } from '../../http/field-rules.decorator.js';
import type { CancelState } from '../../turn/lifecycle/turn-canceller.js';

export class TurnDto {
  @RequiredText('Id of the session.')
  sessionId!: string;

  @ApiProperty({
    type: String,
    description: 'The message of the user; may be empty beside an attachment.',
  })
  @IsString(wrong)
  message!: string;

  @ApiPropertyOptional({
    type: Object,
    description:
      'Turn options: model, tools, maxTurns, persona, mode, subagentGovernance, onDisconnect, priority, clientTools. Invalid and unknown ones are ignored, and a `system:notice` says so.',
    example: { maxTurns: 5, mode: 'acceptEdits' },
  })
  @Allow()
  opts?: unknown;

  @OptionalTexts('Absolute paths of files to attach.')
  attachments?: string[];
}

export class InterruptDto {
  @RequiredText('Id of the session whose turn is to end.')
  sessionId!: string;
}

export class InterruptedDto {
  @ApiProperty({ type: Boolean, example: true })
  ok!: true;

  @ApiProperty({ type: String, description: 'The turn that was asked to end.' })
  turnId!: string;

  @ApiProperty({
    enum: ['ended', 'running', 'in-tool'],
    description:
      'Where it was: `ended` had not begun, and has ended; `running` and `in-tool` end shortly, on their stream.',
  })
  state!: CancelState;
}

export class OkDto {
  @ApiProperty({ type: Boolean, example: true })
  ok!: true;
}
