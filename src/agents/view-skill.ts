import type { LineProblem } from '../parsing/front-matter.js';
import { hiddenBy } from './skill-library.js';
import type { FoundSkill, SkillLevel } from './skill-file.js';

/** A skill as clients see it: `GET /api/harness/skills`. */
export interface SkillView {
  /** The name of its folder. */
  name: string;
  level: SkillLevel;
  /** Below the instruction root, or below the project: `skills/pdf/SKILL.md`. */
  file: string;
  /** Null: the file has faults. */
  description: string | null;
  license: string | null;
  compatibility: string | null;
  metadata: Readonly<Record<string, string>>;
  /** Rules of the only calls that a turn may make after it has loaded the skill. Null: any. */
  allowedTools: readonly string[] | null;
  /** Whether turns are told of it. */
  isOffered: boolean;
  /** The level whose skill of the same name is used in its place. Null: none. */
  hiddenBy: SkillLevel | null;
  /** What is wrong with the file: it is no skill then. */
  faults: readonly LineProblem[];
}

/** @param offered names of the skills that turns are told of. Pure. */
export function viewSkill(
  one: FoundSkill,
  { found, offered }: { found: readonly FoundSkill[]; offered: ReadonlySet<string> },
): SkillView {
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
