import path from 'node:path';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsString,
  Matches,
  MaxLength,
  NotContains,
} from 'class-validator';
import {
  MayBeAbsent,
  RequiredText,
  Nested,
  Rule,
  OptionalId,
  mustBe,
} from '../../http/fields/field-rules.decorator.js';
import { RequestForm } from '../../http/request.pipe.js';
import { jsonObject, nullableTime, time, whole } from '../../http/fields/json-schemas.js';
import { PageLimit } from '../../http/paging/page-query.dto.js';
import { ApproverRoles } from '../approver-roles.decorator.js';
import { mintsPattern } from '../pages/may-mint.js';
import {
  keyScopes,
  type apiKeys,
  type KeyScope,
  type PrincipalLimits,
} from '../../storage/governance-schema.js';

/** Scopes of a key that names none; of the first one, all. */
export const usualScopes: readonly KeyScope[] = ['turns', 'approvals'];

const MAX_ROOTS = 20;
const MAX_ROOT_CHARS = 4_096;

const principalWords = mustBe(
  "1 to 64 letters, digits, '.', '@', '_' and '-': who the key stands for",
);
const nameWords = mustBe('a text of at most 100 characters');
const mintsWords = mustBe("'prefix:name', or 'prefix:*' for all whose id begins so");
const scopeWords = mustBe(`a list of at least one of ${keyScopes.join(', ')}`);
const rootWords = mustBe(
  `a list of at most ${MAX_ROOTS} absolute paths of at most ${MAX_ROOT_CHARS} characters`,
);

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isAmount = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0;

function Limit(description: string, isLimit: (value: unknown) => boolean, kind: string) {
  return applyDecorators(
    ApiProperty({ type: Number, minimum: 0, description: `${description} 0: no limit.` }),
    MayBeAbsent(),
    Rule('isLimit', isLimit, mustBe(`${kind} from 0, which is no limit`)),
  );
}

function WholeLimit(description: string) {
  return Limit(description, isWhole, 'a whole number');
}

export class KeyLimitsDto implements PrincipalLimits {
  @WholeLimit('Requests in a minute.') requestsPerMinute?: number;
  @WholeLimit('Turns that have not ended.') concurrentTurns?: number;
  @WholeLimit('Tokens of a day, in UTC.') tokensPerDay?: number;

  @Limit('US dollars of a day.', isAmount, 'a number') usdPerDay?: number;
}

function ChangedLimit(isLimit: (value: unknown) => boolean, kind: string) {
  const words = mustBe(`${kind} from 0, which is no limit, or null for the server’s own`);
  return applyDecorators(
    ApiProperty({ type: Number, minimum: 0, nullable: true, description: 'Null: the server’s.' }),
    MayBeAbsent(),
    Rule('isLimit', (value) => value === null || isLimit(value), words),
  );
}

/** Changes of a key’s limits; those that are left out stay. */
export class LimitChangesDto {
  @ChangedLimit(isWhole, 'a whole number') requestsPerMinute?: number | null;
  @ChangedLimit(isWhole, 'a whole number') concurrentTurns?: number | null;
  @ChangedLimit(isWhole, 'a whole number') tokensPerDay?: number | null;
  @ChangedLimit(isAmount, 'a number') usdPerDay?: number | null;
}

/** Changes of a key; what is left out stays. */
@RequestForm({ closed: 'A change of a key' })
export class KeyChangesDto {
  /** What it is for. */
  @ApiProperty({ type: String, maxLength: 100 })
  @MayBeAbsent()
  @IsString(nameWords)
  @MaxLength(100, nameWords)
  @NotContains('\0', nameWords)
  name?: string;

  /** Its own limits. */
  @MayBeAbsent()
  @Nested(LimitChangesDto)
  limits?: LimitChangesDto;
}

/** A new API key, of a request or of the command line. */
@RequestForm({ closed: 'A key' })
export class NewKeyDto {
  /**
   * Who it stands for.
   *
   * @example alice
   */
  @ApiProperty({ type: String })
  @Matches(/^[A-Za-z0-9][\w.@-]{0,63}$/, principalWords)
  principal!: string;

  /** What it is for. */
  @ApiProperty({ type: String, maxLength: 100 })
  @MayBeAbsent()
  @IsString(nameWords)
  @MaxLength(100, nameWords)
  @NotContains('\0', nameWords)
  name = '';

  @ApiProperty({
    isArray: true,
    enum: keyScopes,
    description: 'Default: turns and approvals; of the first key all.',
  })
  @MayBeAbsent()
  @IsArray(scopeWords)
  @ArrayNotEmpty(scopeWords)
  @IsIn(keyScopes, { each: true, ...scopeWords })
  scopes?: KeyScope[];

  @ApiProperty({ type: String, example: '30d', description: 'Default: it does not expire.' })
  @MayBeAbsent()
  @Rule(
    'isPeriod',
    (value) => typeof value === 'string' && parsePeriod(value) !== undefined,
    mustBe('a time as 90m, 12h or 30d, at most 3650d'),
  )
  expiresIn?: string;

  /** Its own limits; for others it has the server’s. */
  @MayBeAbsent()
  @Nested(KeyLimitsDto)
  limits: KeyLimitsDto = {};

  /** Absolute folders that its sessions may work in beside those open to all. */
  @ApiProperty({ type: [String], example: ['/srv/alice'] })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? resolveAll(value) : value))
  @IsArray(rootWords)
  @ArrayMaxSize(MAX_ROOTS, rootWords)
  @Rule('isFolders', (roots) => Array.isArray(roots) && roots.every(isRoot), rootWords)
  projectRoots: string[] = [];

  /**
   * Whom it may make page tokens for, with the scope tokens: `app:ann`, or `app:*` for all whose id begins with `app:`.
   * Default: its own principal alone.
   *
   * @example app:*
   */
  @ApiProperty({ type: String })
  @MayBeAbsent()
  @Matches(mintsPattern, mintsWords)
  mints?: string;

  /** Roles in which its principal may decide about calls of others, where a permission rule names one of them. */
  @ApiProperty({ type: [String], example: ['release'] })
  @MayBeAbsent()
  @ApproverRoles()
  approves?: string[];
}

/** A key as administrators see it: never the secret or its hash. */
export class KeyDto {
  /** Not secret. */
  id!: string;
  /** Whose it is. */
  principal!: string;
  name!: string;
  @ApiProperty({ enum: ['active', 'expired', 'revoked'] })
  status!: 'active' | 'expired' | 'revoked';

  @ApiProperty({ enum: keyScopes, isArray: true, example: ['turns', 'approvals'] })
  scopes!: KeyScope[];

  /** Its own limits; for others it has the server’s. */
  @ApiProperty({
    type: 'object',
    properties: {
      requestsPerMinute: { type: 'number' },
      concurrentTurns: { type: 'number', description: 'Most turns that have not ended.' },
      tokensPerDay: { type: 'number' },
      usdPerDay: { type: 'number' },
    },
  })
  limits!: PrincipalLimits;

  /** Folders that its sessions may work in beside those open to all. */
  @ApiProperty({ type: [String], example: ['/srv/alice'] }) projectRoots!: string[];
  /** Whom it may make page tokens for beside its own principal; null: nobody. */
  mints!: string | null;
  /** Roles in which its principal may decide about calls of others. */
  @ApiProperty({ type: [String], example: ['release'] }) approves!: string[];
  @ApiProperty(time) createdAt!: string;
  @ApiProperty(nullableTime) expiresAt!: string | null;
  @ApiProperty(nullableTime) revokedAt!: string | null;
  /** To the minute. */
  @ApiProperty(nullableTime) lastUsedAt!: string | null;
}

export class KeyParamsDto {
  /** Id of the key. */
  @RequiredText() id!: string;
}

export class OneKeyDto {
  key!: KeyDto;
}

export class CreatedKeyDto extends OneKeyDto {
  /** The key. It is shown this once. */
  secret!: string;
}

export class KeyListDto {
  /** In the order they were made. */
  keys!: KeyDto[];
}

export class MasterKeyRotationDto {
  /** Name of the master key that wraps all data keys now. */
  masterKey!: string;
  /** Number of data keys that another master key wrapped before. */
  @ApiProperty(whole) wrapped!: number;
  /** Number of secrets that were stored in plain text before. */
  @ApiProperty(whole) sealed!: number;
}

@RequestForm({ closed: 'The query' })
export class AuditQueryDto {
  @OptionalId(
    'audit',
    '`nextAfter` of the page before, or the `id` of an entry.',
    mustBe("the 'id' of an entry, or the 'nextAfter' of a page"),
  )
  after?: string | undefined;

  @PageLimit({ standard: 100, most: 1_000 }) limit = 100;
}

export class AuditEntryDto {
  id!: string;
  @ApiProperty(time) at!: string;
  /** Who did it. */
  principal!: string;
  /** @example key.create */
  action!: string;
  /** Id of what it was done to. */
  subject!: string;
  @ApiProperty(jsonObject) details!: Record<string, unknown>;
}

export class AuditPageDto {
  /** Oldest first. */
  entries!: AuditEntryDto[];
  /** Page token: the `after` of the next page. Absent on the last page. */
  nextAfter?: string;
}

export type KeyRow = typeof apiKeys.$inferSelect;

export function viewKey(key: KeyRow, now: number): KeyDto {
  const { id, principalId, name, scopes, limits, createdAt, expiresAt, revokedAt } = key;
  const hasExpired = expiresAt !== null && expiresAt.getTime() <= now;
  const status = revokedAt !== null ? 'revoked' : hasExpired ? 'expired' : 'active';
  return {
    id,
    principal: principalId,
    name,
    status,
    scopes,
    limits,
    projectRoots: key.projectRoots ?? [],
    mints: key.mints,
    approves: key.approves ?? [],
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

/** Normalised, each once; what is no absolute path stays as it is. */
function resolveAll(roots: readonly unknown[]): unknown[] {
  return [...new Set(roots.map((root) => (isRoot(root) ? path.resolve(root) : root)))];
}

function isRoot(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_ROOT_CHARS) return false;
  return path.isAbsolute(value) && !value.includes('\0');
}

const unitsMs: Record<string, number | undefined> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_EXPIRY_MS = 3_650 * 86_400_000;

/** A time as `90m`, `12h` or `30d`, in ms; undefined for any other text, for none and for more than 3650 days. */
export function parsePeriod(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (unitsMs[unit] ?? Number.NaN);
  return ms > 0 && ms <= MAX_EXPIRY_MS ? ms : undefined;
}
