import { ApiProperty } from '@nestjs/swagger';
import { RequiredText } from '../../http/fields/field-rules.decorator.js';
import { keyScopes, type KeyScope } from '../../storage/governance-schema.js';
import type { KeyView } from '../view-key.js';

export class KeyDto implements KeyView {
  /** Not secret. */
  id!: string;
  /** Whose it is. */
  principal!: string;
  name!: string;
  @ApiProperty({ enum: ['active', 'expired', 'revoked'] }) status!: KeyView['status'];

  @ApiProperty({ enum: keyScopes, isArray: true, example: ['turns', 'approvals'] })
  scopes!: KeyScope[];

  /** Its own limits; for others it has the server’s. */
  @ApiProperty({
    type: 'object',
    properties: {
      requestsPerMinute: { type: 'number' },
      concurrentTurns: { type: 'number', description: 'Most turns that have not ended.' },
      tokensPerDay: { type: 'number' },
      usdPerDay: { type: 'number' },
    },
  })
  limits!: KeyView['limits'];

  /** Folders that its sessions may work in beside those open to all. */
  @ApiProperty({ type: [String], example: ['/srv/alice'] }) projectRoots!: string[];
  @ApiProperty({ type: String, format: 'date-time' }) createdAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expiresAt!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) revokedAt!: string | null;
  /** To the minute. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) lastUsedAt!: string | null;
}

export class KeyParamsDto {
  /** Id of the key. */
  @RequiredText() id!: string;
}

export class OneKeyDto {
  key!: KeyDto;
}

export class CreatedKeyDto extends OneKeyDto {
  /** The key. It is shown this once. */
  secret!: string;
}

export class KeyListDto {
  /** In the order they were made. */
  keys!: KeyDto[];
}
