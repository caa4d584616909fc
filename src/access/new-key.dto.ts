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
import { MayBeAbsent } from '../http/fields/field-rules.decorator.js';
import { mustBe } from '../http/fields/field-words.js';
import { Nested } from '../http/fields/nested.decorator.js';
import { RequestForm } from '../http/request-form.decorator.js';
import { Rule } from '../http/fields/rule.decorator.js';
import { keyScopes, type KeyScope, type PrincipalLimits } from '../storage/governance-schema.js';
import { parsePeriod } from './parse-period.js';

/** Scopes of a key that names none; of the first one, all. */
export const usualScopes: readonly KeyScope[] = ['turns', 'approvals'];

const MOST_ROOTS = 20;
const LONGEST_ROOT = 4_096;

const principalWords = mustBe(
  "1 to 64 letters, digits, '.', '@', '_' and '-': who the key stands for",
);
const nameWords = mustBe('a text of at most 100 characters');
const scopeWords = mustBe(`a list of at least one of ${keyScopes.join(', ')}`);
const rootWords = mustBe(
  `a list of at most ${MOST_ROOTS} absolute paths of at most ${LONGEST_ROOT} characters`,
);

function Limit(description: string, isLimit: (value: unknown) => boolean, kind: string) {
  return applyDecorators(
    ApiProperty({ type: Number, minimum: 0, description: `${description} 0: no limit.` }),
    MayBeAbsent(),
    Rule('isLimit', isLimit, mustBe(`${kind} from 0, which is no limit`)),
  );
}

function WholeLimit(description: string) {
  const isLimit = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  return Limit(description, isLimit, 'a whole number');
}

export class KeyLimitsDto implements PrincipalLimits {
  @WholeLimit('Requests in a minute.') requestsPerMinute?: number;
  @WholeLimit('Turns that have not ended.') concurrentTurns?: number;
  @WholeLimit('Tokens of a day, in UTC.') tokensPerDay?: number;

  @Limit(
    'US dollars of a day.',
    (value) => Number.isFinite(value) && Number(value) >= 0,
    'a number',
  )
  usdPerDay?: number;
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
  @ArrayMaxSize(MOST_ROOTS, rootWords)
  @Rule('isFolders', (roots) => Array.isArray(roots) && roots.every(isRoot), rootWords)
  projectRoots: string[] = [];
}

/** Normalised, each once; what is no absolute path stays as it is. */
function resolveAll(roots: readonly unknown[]): unknown[] {
  return [...new Set(roots.map((root) => (isRoot(root) ? path.resolve(root) : root)))];
}

function isRoot(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > LONGEST_ROOT) return false;
  return path.isAbsolute(value) && !value.includes('\0');
}
