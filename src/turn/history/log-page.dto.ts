import { ApiProperty } from '@nestjs/swagger';
import type { TurnEvent } from '../../events/turn-event.js';
import { listOf } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import type { TurnLogPage } from '../stream/turn-log.js';

export class LogPageDto extends PageDto implements TurnLogPage {
  /** `turn.ended` is the last event of a turn. */
  @ApiProperty(listOf('TurnEvent'))
  events!: TurnEvent[];
}
