import { isPageOrigin } from '../../platform/net/addresses.js';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, Matches } from 'class-validator';
import {
  MayBeAbsent,
  mustBe,
  OptionalId,
  Rule,
  WholeNumber,
} from '../../http/fields/field-rules.decorator.js';
import { time } from '../../http/fields/json-schemas.js';
import { RequestForm } from '../../http/request.pipe.js';
import type { KeyScope } from '../../storage/governance-schema.js';
import { ApproverRoles } from '../approver-roles.decorator.js';
import { mintedPattern } from './may-mint.js';

/** Scopes that a page token may have. */
const pageScopes = ['turns', 'approvals'] as const satisfies readonly KeyScope[];

/** Longest life of a page token, in seconds. */
const MAX_SECONDS = 3_600;
const MAX_AGENTS = 20;

const principalWords = mustBe(
  "the id of a principal: a name, or 'prefix:name' without spaces, at most 64 and 128 characters",
);
const agentWords = mustBe(`a list of 1 to ${MAX_AGENTS} names of agents`);
const scopeWords = mustBe(`a list of at least one of ${pageScopes.join(', ')}`);
const originWords = mustBe('the origin of a page, as https://app.example.com');

/** A new page token. */
@RequestForm({ closed: 'A page token' })
export class NewPageTokenDto {
  /**
   * Who the page acts for. The key must have it in its `mints`. Default: the principal of the key.
   *
   * @example app:ann
   */
  @ApiProperty({ type: String })
  @MayBeAbsent()
  @Matches(mintedPattern, principalWords)
  principal?: string;

  @OptionalId(
    'sess',
    'The one session that the page may use, of that principal. Default: all of them.',
  )
  sessionId?: string | undefined;

  @ApiProperty({
    type: [String],
    example: ['support'],
    description: 'The agents that the page may use. Default: all.',
  })
  @MayBeAbsent()
  @IsArray(agentWords)
  @ArrayNotEmpty(agentWords)
  @ArrayMaxSize(MAX_AGENTS, agentWords)
  @Matches(/^[\w-]{1,64}$/, { each: true, ...agentWords })
  agents?: string[];

  @ApiProperty({
    isArray: true,
    enum: pageScopes,
    description: 'Default: turns and approvals, as far as the key has them.',
  })
  @MayBeAbsent()
  @IsArray(scopeWords)
  @ArrayNotEmpty(scopeWords)
  @IsIn(pageScopes, { each: true, ...scopeWords })
  scopes?: KeyScope[];

  /** Roles in which the page may decide about calls of others, of those of the key. Default: none. */
  @ApiProperty({ type: [String], example: ['release'] })
  @MayBeAbsent()
  @ApproverRoles()
  approves?: string[];

  @MayBeAbsent()
  @WholeNumber({
    min: 1,
    max: MAX_SECONDS,
    description: 'Seconds until the token ends, or earlier with its key. Default: 900.',
  })
  expiresIn = 900;

  /**
   * The one origin whose pages may send it, by their header `Origin`. Default: any.
   *
   * @example https://app.example.com
   */
  @ApiProperty({ type: String })
  @MayBeAbsent()
  @Rule('isOrigin', isOrigin, originWords)
  origin?: string;
}

function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 300 && isPageOrigin(value);
}

/** A page token, which is stored nowhere. */
export class MintedTokenDto {
  /** `tps_…`: for the header `Authorization: Bearer …`, never for a URL. */
  token!: string;
  /** Who the page acts for. */
  principal!: string;
  @ApiProperty({ enum: pageScopes, isArray: true }) scopes!: KeyScope[];
  @ApiProperty(time) expiresAt!: string;
  /** Absent: all of the principal. */
  sessionId?: string;
  /** Absent: all. */
  agents?: string[];
  /** Absent: none. */
  approves?: string[];
  /** Absent: any. */
  origin?: string;
}

/** The principal whose page tokens are ended. */
export class TokensOfParamsDto {
  /** @example app:ann */
  @ApiProperty({ type: String })
  @Matches(mintedPattern, principalWords)
  principal!: string;
}

/** The page tokens of a principal were ended. */
export class EndedTokensDto {
  principal!: string;
  /** Page tokens that were made before are refused, within a second in every process. */
  @ApiProperty(time) endedAt!: string;
}
