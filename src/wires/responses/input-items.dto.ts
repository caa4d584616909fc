import { ApiProperty } from '@nestjs/swagger';
import { jsonObjects, nullableText } from '../../http/fields/json-schemas.js';

export class InputItemsDto {
  @ApiProperty({ enum: ['list'] })
  object!: 'list';

  @ApiProperty(jsonObjects)
  data!: object[];

  @ApiProperty(nullableText)
  first_id!: string | null;

  @ApiProperty(nullableText)
  last_id!: string | null;

  @ApiProperty({ type: Boolean })
  has_more!: boolean;
}

export class DeletedResponseDto {
  @ApiProperty({ type: String })
  id!: string;

  @ApiProperty({ enum: ['response'] })
  object!: 'response';

  @ApiProperty({ enum: [true] })
  deleted!: true;
}
