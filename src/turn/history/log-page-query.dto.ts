import { PageLimit, PageToken } from '../../http/paging/page-query.dto.js';

export class LogPageQueryDto {
  @PageToken('`nextCursor` of the page before, or `<turn id>:<attempt>.<seq>` of any event.')
  cursor?: string | undefined;

  @PageLimit({ standard: 200, most: 1_000 })
  limit = 200;
}
