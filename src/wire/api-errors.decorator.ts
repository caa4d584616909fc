import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';

class ErrorDto {
  @ApiProperty({ type: String, example: 'SESSION_NOT_FOUND', description: 'Stable; branch on it.' })
  type!: string;

  @ApiProperty({ type: String, description: 'For a person: what is wrong and what to do.' })
  message!: string;

  @ApiPropertyOptional({ type: Object, description: 'Facts of the error, by type.' })
  details?: unknown;
}

export class ErrorEnvelopeDto {
  @ApiProperty({ type: ErrorDto })
  error!: ErrorDto;
}

/** Documents the errors of a route: status → the types it gives. */
export function ApiErrors(errors: Record<number, string>) {
  return applyDecorators(
    ...Object.entries(errors).map(([status, types]) =>
      ApiResponse({ status: Number(status), description: types, type: ErrorEnvelopeDto }),
    ),
  );
}
