import { mustBe } from '../../http/fields/field-words.js';
import { OptionalId } from '../../http/fields/id-field.decorator.js';
import { PageLimit } from '../../http/paging/page-query.dto.js';

export class AuditQueryDto {
  @OptionalId(
    'audit',
    '`nextAfter` of the page before, or the `id` of an entry.',
    mustBe("the 'id' of an entry, or the 'nextAfter' of a page"),
  )
  after?: string | undefined;

  @PageLimit({ standard: 100, most: 1_000 }) limit = 100;
}
