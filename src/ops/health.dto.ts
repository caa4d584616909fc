import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { CommandHealth } from './command-health.js';
import type { Health } from './health-service.js';
import type { Readiness } from './readiness.js';

class CommandHealthDto implements CommandHealth {
  @ApiProperty({ enum: ['sandboxed', 'unsandboxed', 'off'] })
  kind!: CommandHealth['kind'];

  @ApiProperty({
    type: [String],
    description: 'What the sandbox does not limit or keep out, or why there is none.',
  })
  weaknesses!: readonly string[];
}

export class HealthDto implements Health {
  @ApiProperty({ enum: ['healthy', 'unhealthy'] })
  status!: Health['status'];

  @ApiProperty({ type: String, description: 'The agent of sessions that name none.' })
  agent_name!: string;

  @ApiProperty({ type: Boolean })
  agent_ready!: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Absent while the database does not answer.',
  })
  active_sessions?: number;

  @ApiProperty({ type: Number })
  uptime_seconds!: number;

  @ApiProperty({ type: String, description: 'The version of the server.' })
  version!: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'The commit that the server was built from, with `-dirty` where files had changed since. Absent where it is unknown.',
  })
  commit?: string;

  @ApiPropertyOptional({
    type: CommandHealthDto,
    description: "How this process runs commands; only in the agent's health.",
  })
  commands?: CommandHealth;
}

export class LivenessDto {
  @ApiProperty({ type: Boolean, enum: [true] })
  live!: true;
}

export class ReadinessDto implements Readiness {
  @ApiProperty({ type: Boolean })
  ready!: boolean;

  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'string' },
    description: 'Each check is `ok`, or names its fault.',
    example: { database: 'ok', queue: 'ok', log: 'ok' },
  })
  checks!: Record<string, string>;
}
