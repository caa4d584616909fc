import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { says } from '../../http/fields/field-words.js';
import { OptionalId } from '../../http/fields/id-field.decorator.js';
import { PageLimit } from '../../http/paging/page-query.dto.js';

const statuses = ['pending', 'all'] as const;

export class ApprovalQueryDto {
  @OptionalId('sess', 'With those of its subagents.')
  sessionId?: string | undefined;

  @OptionalId('turn', 'Approvals of one turn.')
  turnId?: string | undefined;

  @ApiPropertyOptional({ enum: statuses, default: 'pending' })
  @IsIn(statuses, says("Missing or invalid '$field': pending or all"))
  status: (typeof statuses)[number] = 'pending';

  @OptionalId('appr', '`nextCursor` of the page before.')
  cursor?: string | undefined;

  @PageLimit({ standard: 50, most: 200 })
  limit = 50;
}
