import { ApiProperty } from '@nestjs/swagger';
import { RetryAdviceDto } from '../../http/api-errors.decorator.js';

export class OracleCancelDto {
  @ApiProperty({ enum: ['cancelled', 'no_active_session'] })
  status!: 'cancelled' | 'no_active_session';
}

export class OracleForgottenDto {
  @ApiProperty({ type: String, example: 'ok' })
  status!: 'ok';

  @ApiProperty({ type: String })
  message!: string;
}

export class OracleErrorDto extends RetryAdviceDto {
  @ApiProperty({ type: String, description: 'For a person: what is wrong and what to do.' })
  detail!: string;
}
