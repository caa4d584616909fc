import { ApiProperty } from '@nestjs/swagger';
import { ApiCorrelationId, RetryAdviceDto } from '../../http/errors/api-errors.decorator.js';
import { ValidationProblemDto } from '../../http/errors/validation-detail.dto.js';

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

/** A request with faults: the answer of status 422. */
export class OracleFaultsDto extends RetryAdviceDto {
  @ApiProperty({ type: [ValidationProblemDto], description: 'One entry per wrong field.' })
  detail!: ValidationProblemDto[];

  @ApiCorrelationId()
  correlationId!: string;
}

export class OracleErrorDto extends RetryAdviceDto {
  @ApiProperty({ type: String, description: 'For a person: what is wrong and what to do.' })
  detail!: string;

  @ApiCorrelationId()
  correlationId!: string;
}
