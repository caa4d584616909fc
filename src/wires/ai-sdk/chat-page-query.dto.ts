import { PageLimit, PageToken } from '../../http/paging/page-query.dto.js';

export class ChatPageQueryDto {
  @PageToken('`before` of the page after.')
  before?: string | undefined;

  /** Turns: their events are read to the last. */
  @PageLimit({ standard: 20, most: 100 })
  limit = 20;
}
