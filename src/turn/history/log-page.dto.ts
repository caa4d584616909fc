import { ApiProperty } from '@nestjs/swagger';
import type { TurnEvent } from '../../events/turn-event.js';
import { time } from '../../http/json-schemas.js';
import { PageDto } from '../../http/page.dto.js';
import type { TurnLogPage } from '../stream/turn-log.js';

export class LogPageDto extends PageDto implements TurnLogPage {
  @ApiProperty({
    type: 'array',
    items: {
      type: 'object',
      required: ['type', 'attempt', 'seq', 'at'],
      properties: {
        type: { type: 'string' },
        attempt: { type: 'integer' },
        seq: { type: 'integer' },
        at: { ...time, type: 'string' },
      },
      additionalProperties: true,
    },
    description: '`turn.ended` is the last event of a turn.',
  })
  events!: TurnEvent[];
}
