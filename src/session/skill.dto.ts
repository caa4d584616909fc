import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { mustBe } from '../http/fields/field-words.js';
import { nullableText } from '../http/fields/json-schemas.js';
import { skillLevels, type FoundSkill, type SkillLevel } from '../agents/skill-file.js';
import { hiddenBy } from '../agents/skill-library.js';

export class SkillQueryDto {
  @ApiPropertyOptional({ type: String, description: 'An agent, whose skills are listed too.' })
  @IsOptional()
  @IsString(mustBe('the name of an agent'))
  agent?: string | undefined;
}

export class SkillFaultDto {
  @ApiProperty({ type: 'integer', minimum: 1 })
  line!: number;

  @ApiProperty({ type: String })
  message!: string;
}

export class SkillDto {
  @ApiProperty({ type: String, example: 'release-notes' })
  name!: string;

  @ApiProperty({ enum: skillLevels })
  level!: SkillLevel;

  @ApiProperty({
    type: String,
    example: 'skills/release-notes/SKILL.md',
    description: 'Below the instruction root, or below the project.',
  })
  file!: string;

  @ApiProperty({ ...nullableText, description: 'Null: the file has faults.' })
  description!: string | null;

  @ApiProperty(nullableText)
  license!: string | null;

  @ApiProperty(nullableText)
  compatibility!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  metadata!: Readonly<Record<string, string>>;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The only calls that a turn may make after it has loaded the skill. Null: any.',
  })
  allowedTools!: readonly string[] | null;

  @ApiProperty({ type: Boolean, description: 'Whether turns are told of it.' })
  isOffered!: boolean;

  @ApiProperty({
    enum: skillLevels,
    nullable: true,
    description: 'The level whose skill of the same name is used in its place.',
  })
  hiddenBy!: SkillLevel | null;

  @ApiProperty({ type: [SkillFaultDto], description: 'The file is no skill until they are gone.' })
  faults!: readonly SkillFaultDto[];
}

export class SkillListDto {
  @ApiProperty({ type: [SkillDto] })
  skills!: SkillDto[];
}

/** @param offered names of the skills that turns are told of. Pure. */
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
