import { PageLimit, PageToken } from '../http/paging/page-query.dto.js';

export class ToolQueryDto {
  @PageToken() cursor?: string | undefined;
  @PageLimit({ standard: 200, most: 200 }) limit = 200;
}
