import type { LineProblem } from '../parsing/front-matter.js';
import type { Enclosed } from './read-inside.js';

/** The folder that a skill comes from, the one that wins first. */
export const skillLevels = ['agent', 'server', 'project'] as const;
export type SkillLevel = (typeof skillLevels)[number];

/** A skill without faults: the version of its file that was found. Never changed. */
export interface Skill {
  /** 1 to 64 of `a-z 0-9 -`: the name of its folder. */
  name: string;
  /** On one line, 1,024 characters at most. */
  description: string;
  level: SkillLevel;
  /** SHA-256 of its SKILL.md, in hex. */
  digest: string;
  /** Rules of the only calls that a turn may make from the step after a load on. Absent: any. */
  allowedTools?: readonly string[];
  license?: string;
  compatibility?: string;
  metadata?: Readonly<Record<string, string>>;
  /** The text below the front matter. */
  body: string;
  /** Its folder: links are followed at each read. */
  place: Enclosed;
}

/** A folder of skills has this one, with its skill or with what is wrong with it. */
export interface FoundSkill {
  /** The name of its folder. */
  name: string;
  level: SkillLevel;
  /** The file for people, below the instruction root or the project: `skills/pdf/SKILL.md`. */
  file: string;
  /** Absent: the file has faults. */
  skill?: Skill;
  faults: readonly LineProblem[];
}
