import { ApiProperty } from '@nestjs/swagger';
import { RequiredText } from '../http/fields/field-rules.decorator.js';
import { whole } from '../http/fields/json-schemas.js';

export class McpClientsQueryDto {
  @RequiredText('The authorization server, as log-ins name it.', 'https://auth.example')
  issuer!: string;
}

export class ForgottenMcpClientsDto {
  issuer!: string;
  /** Number of registrations that there were. */
  @ApiProperty(whole) forgotten!: number;
}
