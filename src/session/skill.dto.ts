import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { mustBe } from '../http/fields/field-words.js';
import { nullableText } from '../http/fields/json-schemas.js';
import type { LineProblem } from '../parsing/front-matter.js';
import { skillLevels, type SkillLevel } from '../agents/skill-file.js';
import type { SkillView } from '../agents/view-skill.js';

export class SkillQueryDto {
  @ApiPropertyOptional({ type: String, description: 'An agent, whose skills are listed too.' })
  @IsOptional()
  @IsString(mustBe('the name of an agent'))
  agent?: string | undefined;
}

export class SkillFaultDto implements LineProblem {
  @ApiProperty({ type: 'integer', minimum: 1 })
  line!: number;

  @ApiProperty({ type: String })
  message!: string;
}

export class SkillDto implements SkillView {
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
