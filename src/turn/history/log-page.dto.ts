import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { TurnEvent } from '../../events/turn-event.js';
import { PageDto } from '../../http/page.dto.js';
import type { TurnLogPage } from '../stream/turn-log.js';

export class LogPageDto extends PageDto implements TurnLogPage {
  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath('TurnEvent') },
    description: '`turn.ended` is the last event of a turn.',
  })
  events!: TurnEvent[];
}
