import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { mustBe } from '../http/fields/field-rules.decorator.js';
import { skillLevels, type FoundSkill, type SkillLevel } from '../agents/skill-file.js';
import { hiddenBy } from '../agents/skill-library.js';

export class SkillQueryDto {
  /** An agent, whose skills are listed too. */
  @ApiPropertyOptional({ type: String })
  @IsOptional()
  @IsString(mustBe('the name of an agent'))
  agent?: string | undefined;
}

export class SkillFaultDto {
  @ApiProperty({ type: 'integer', minimum: 1 }) line!: number;
  message!: string;
}

export class SkillDto {
  /** @example release-notes */
  name!: string;
  @ApiProperty({ enum: skillLevels }) level!: SkillLevel;

  /**
   * Below the instruction root, or below the project.
   *
   * @example skills/release-notes/SKILL.md
   */
  file!: string;

  /** Null: the file has faults. */
  description!: string | null;
  license!: string | null;
  compatibility!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  metadata!: Readonly<Record<string, string>>;

  /** The only calls that a turn may make after it has loaded the skill. Null: any. */
  @ApiProperty({ type: [String], nullable: true }) allowedTools!: readonly string[] | null;
  /** Whether turns are told of it. */
  isOffered!: boolean;
  /** The level whose skill of the same name is used in its place. */
  @ApiProperty({ enum: skillLevels, nullable: true }) hiddenBy!: SkillLevel | null;
  /** The file is no skill until they are gone. */
  @ApiProperty({ type: [SkillFaultDto] }) faults!: readonly SkillFaultDto[];
}

export class SkillListDto {
  skills!: SkillDto[];
}

/** @param offered names of the skills that turns list. Pure. */
export function viewSkill(
  one: FoundSkill,
  { found, offered }: { found: readonly FoundSkill[]; offered: ReadonlySet<string> },
): SkillDto {
  const { name, level, file, skill, faults } = one;
  const hider = hiddenBy(one, found) ?? null;
  return {
    name,
    level,
    file,
    description: skill?.description ?? null,
    license: skill?.license ?? null,
    compatibility: skill?.compatibility ?? null,
    metadata: skill?.metadata ?? {},
    allowedTools: skill?.allowedTools ?? null,
    isOffered: skill !== undefined && hider === null && offered.has(name),
    hiddenBy: hider,
    faults,
  };
}
