import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { whole } from '../http/fields/json-schemas.js';
import type { Shells } from '../tools/shells.js';

/** The way a process runs commands. */
export class CommandHealthDto {
  @ApiProperty({ enum: ['sandboxed', 'unsandboxed', 'off'] }) kind!: Shells['kind'];
  /** What the sandbox does not limit or keep out, or why there is none. */
  @ApiProperty({ type: [String] }) weaknesses!: readonly string[];
}

/** How the tool hook answers the process: no reason of a failure, as health has no key and reasons name hosts. */
export class HookHealthDto {
  /** Questions without an answer since the last one that had one. */
  @ApiProperty(whole) failures_in_row!: number;
  /** Absent: never. */
  @ApiPropertyOptional({ type: String, format: 'date-time' }) last_answer_at?: string;
  /** Absent: never. */
  @ApiPropertyOptional({ type: String, format: 'date-time' }) last_failure_at?: string;
}

export class HealthDto {
  @ApiProperty({ enum: ['healthy', 'unhealthy'] }) status!: 'healthy' | 'unhealthy';
  /** The agent of sessions that name none. */
  agent_name!: string;
  agent_ready!: boolean;
  /** Absent while the database does not answer. */
  @ApiPropertyOptional(whole) active_sessions?: number;

  /**
   * Age of the oldest slot of a schedule that is due and has no outcome; 0 without one. Absent while the database
   * does not answer.
   */
  schedule_late_seconds?: number;

  /**
   * How the tool hook has answered this process, which asks it if it runs turns. Absent where no hook is configured.
   */
  @ApiPropertyOptional({ type: HookHealthDto }) tool_hook?: HookHealthDto;

  uptime_seconds!: number;
  /** The version of the server. */
  version!: string;

  /**
   * The commit that the server was built from, with `-dirty` where files had changed since. Absent where it is
   * unknown.
   */
  commit?: string;

  /** How this process runs commands; only in the agent's health. */
  @ApiPropertyOptional({ type: CommandHealthDto }) commands?: CommandHealthDto;
}

export class LivenessDto {
  @ApiProperty({ type: Boolean, enum: [true] }) live!: true;
}

export class ReadinessDto {
  ready!: boolean;

  /** Each check is `ok`, or names its fault. */
  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'string' },
    example: { database: 'ok', queue: 'ok', log: 'ok', disk: 'ok' },
  })
  checks!: Record<string, string>;
}
