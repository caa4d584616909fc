import { ApiProperty } from '@nestjs/swagger';
import { BoundedText } from '../http/fields/field-rules.decorator.js';
import { time, whole } from '../http/fields/json-schemas.js';
import type { EndedAccess } from './people/access-ender.js';
import { principalForm, principalFormWords } from './principal.js';

export class PrincipalParamsDto {
  /** The principal: the name of a key, or `issuer:person`. */
  @BoundedText({
    max: 200,
    pattern: principalForm,
    expected: principalFormWords,
  })
  principal!: string;
}

/** The credentials of a principal that were ended. */
export class EndedAccessDto {
  principal!: string;
  /** Tokens that were issued before this time are refused. */
  @ApiProperty(time) endedAt!: string;
  /** Ids of the keys that were revoked. */
  keys!: string[];
  /** Ids of the grants that were ended: schedules that act by them pause at their next fire time. */
  grants!: string[];
  /** Number of log-ins in the console that were ended. */
  @ApiProperty(whole) logins!: number;
  /** Number of log-ins at MCP servers that were ended, here and, where it answered, at their issuer. */
  @ApiProperty(whole) mcpLogins!: number;
  /** Streams that were open at this process. Those of other processes end within a second. */
  @ApiProperty(whole) streams!: number;
}

/** @param streams that were open at this process. */
export function viewEnded(
  principal: string,
  { endedAt, ...ended }: EndedAccess,
  streams: number,
): EndedAccessDto {
  return { principal, endedAt: endedAt.toISOString(), ...ended, streams };
}
