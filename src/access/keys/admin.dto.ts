import { ApiProperty } from '@nestjs/swagger';
import { RequiredText } from '../../http/fields/field-rules.decorator.js';
import { keyScopes, type KeyScope } from '../../storage/governance-schema.js';
import type { KeyView } from '../view-key.js';

export class KeyDto implements KeyView {
  @ApiProperty({ type: String, description: 'Not secret.' })
  id!: string;

  @ApiProperty({ type: String, description: 'Whose it is.' })
  principal!: string;

  @ApiProperty({ type: String })
  name!: string;

  @ApiProperty({ enum: ['active', 'expired', 'revoked'] })
  status!: KeyView['status'];

  @ApiProperty({ enum: keyScopes, isArray: true, example: ['turns', 'approvals'] })
  scopes!: KeyScope[];

  @ApiProperty({
    type: 'object',
    properties: {
      requestsPerMinute: { type: 'number' },
      concurrentTurns: { type: 'number', description: 'Most turns that have not ended.' },
      tokensPerDay: { type: 'number' },
      usdPerDay: { type: 'number' },
    },
    description: 'Its own limits; for others it has the server’s.',
  })
  limits!: KeyView['limits'];

  @ApiProperty({
    type: [String],
    description: 'Folders that its sessions may work in beside those open to all.',
    example: ['/srv/alice'],
  })
  projectRoots!: string[];

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'To the minute.' })
  lastUsedAt!: string | null;
}

export class KeyParamsDto {
  @RequiredText('Id of the key.')
  id!: string;
}

export class OneKeyDto {
  @ApiProperty({ type: KeyDto })
  key!: KeyDto;
}

export class CreatedKeyDto extends OneKeyDto {
  @ApiProperty({ type: String, description: 'The key. It is shown this once.' })
  secret!: string;
}

export class KeyListDto {
  @ApiProperty({ type: [KeyDto], description: 'In the order they were made.' })
  keys!: KeyDto[];
}
