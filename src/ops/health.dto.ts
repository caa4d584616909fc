import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { CommandHealth } from './command-health.js';
import type { HookHealth } from './tool-hook-health.js';
import type { Health } from './health-service.js';
import type { Readiness } from './readiness.js';

export class CommandHealthDto implements CommandHealth {
  @ApiProperty({ enum: ['sandboxed', 'unsandboxed', 'off'] })
  kind!: CommandHealth['kind'];

  @ApiProperty({
    type: [String],
    description: 'What the sandbox does not limit or keep out, or why there is none.',
  })
  weaknesses!: readonly string[];
}

export class HookHealthDto implements HookHealth {
  @ApiProperty({
    type: 'integer',
    description: 'Questions without an answer since the last one that had one.',
  })
  failures_in_row!: number;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent: never.' })
  last_answer_at?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent: never.' })
  last_failure_at?: string;
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

  @ApiPropertyOptional({
    type: Number,
    description:
      'Age of the oldest slot of a schedule that is due and has no outcome; 0 without one. Absent while the database does not answer.',
  })
  schedule_late_seconds?: number;

  @ApiPropertyOptional({
    type: HookHealthDto,
    description:
      'How the tool hook has answered this process, which asks it if it runs turns. Absent where no hook is configured.',
  })
  tool_hook?: HookHealth;

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
