import { OneOf } from '../../http/fields/field-rules.decorator.js';
import { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { supersededChoices, type SupersededChoice } from './list-turns.js';

/** A page of a session's turns or messages. */
export class LineQueryDto extends PageQueryDto {
  @OneOf(supersededChoices, {
    description: 'Whether the list has turns that others took the place of.',
    default: 'hide',
  })
  superseded: SupersededChoice = 'hide';
}
