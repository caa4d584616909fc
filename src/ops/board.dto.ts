import { ApiProperty } from '@nestjs/swagger';

export class OpenedBoardDto {
  @ApiProperty({ type: String, description: 'Where the board is.' })
  url!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until when the cookie opens it; null where none is needed.',
  })
  expiresAt!: string | null;
}
