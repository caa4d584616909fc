import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { atLines, splitFrontMatter, type LineProblem } from '../platform/parsing/front-matter.js';
import { parseValue } from '../platform/parsing/parse-value.js';
import { isPlainObject } from '../platform/json.js';
import { compact } from '../platform/compact.js';
import { ruleFault } from '../governance/permissions/permission-rules.js';
import { checkedBy, filledText, parsedBy } from '../platform/parsing/shapes.js';
import { toolsOf } from './claude-tools.js';

export type SkillText = Omit<Skill, 'level' | 'place'>;

export type ParsedSkill =
  | { skill: SkillText; faults: readonly [] }
  | { skill?: never; faults: readonly LineProblem[] };

/**
 * Parses a SKILL.md. Never throws: a file with any fault is no skill, as what could not be read may have
 * been a limit of its tools.
 */
export function parseSkillFile(file: string): ParsedSkill {
  const matter = splitFrontMatter(file);
  const { value, faults = [] } = parseValue(skillShape, withoutEmpty(matter.fields));
  const problems = matter.problems.length > 0 ? matter.problems : atLines(faults, matter);
  if (value === undefined || problems.length > 0) {
    return { faults: [...problems].sort((a, b) => a.line - b.line) };
  }
  if (matter.body === '') {
    const message = 'the instructions are empty: write them below the front matter';
    return { faults: [{ line: matter.bodyLine, message }] };
  }
  const { name, description, license, compatibility, metadata } = value;
  const skill = compact({
    name,
    description: description.replaceAll(/\s+/g, ' '),
    license,
    compatibility,
    metadata,
    allowedTools: value['allowed-tools'],
    digest: createHash('sha256').update(file).digest('hex'),
    body: matter.body,
  });
  return { skill, faults: [] };
}

/** Reads a SKILL.md; undefined where the model is not to know it. @param name of its folder. */
export type ParseSkill = (text: string, name: string) => ParsedSkill | undefined;

/** As `parseSkillFile`, of a file whose name must be that of its folder. */
export function parseNamed(text: string, name: string): ParsedSkill {
  const parsed = parseSkillFile(text);
  if (parsed.skill === undefined || parsed.skill.name === name) return parsed;
  const message = `name must be that of its folder, ${name}, not ${parsed.skill.name}`;
  return { faults: [{ line: 1, message }] };
}

/** A field without a value, as YAML has them, counts as absent. */
function withoutEmpty(fields: unknown): unknown {
  if (!isPlainObject(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The folder that a skill comes from, the one that wins first. */
export const skillLevels = ['agent', 'server', 'project'] as const;
export type SkillLevel = (typeof skillLevels)[number];

/** A folder, and the one around it that its links must not leave. */
export interface EnclosedFolder {
  /** Absolute, without links. */
  root: string;
  /** What links do not reach, without links. */
  hidden: readonly string[];
  /** Below `root`, with `/`. */
  folder: string;
}

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
  place: EnclosedFolder;
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

const MAX_DESCRIPTION_CHARS = 1_024;
const MAX_COMPATIBILITY_CHARS = 500;

/** Whether a name is one that the specification of skills takes. */
export function isSkillName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

const text = (most: number) =>
  filledText().check(z.maxLength(most, `must have ${most} characters at most`));

const allowedTools = z.pipe(
  parsedBy(
    (given) => splitRules(given),
    'must be rules separated by blanks, or a list of them, for example read bash(git *)',
  ),
  z.array(
    z.string().check(checkedBy((rule) => (typeof rule === 'string' ? ruleFault(rule) : undefined))),
  ),
);

const metadata = z.record(
  z.string(),
  parsedBy(
    (given) => (['string', 'number', 'boolean'].includes(typeof given) ? String(given) : undefined),
    'must be text',
  ),
);

/** The front matter of a SKILL.md, as https://agentskills.io/specification has it. Other fields are for others. */
const skillShape = z.object({
  name: filledText().check(
    checkedBy((name) =>
      isSkillName(name)
        ? undefined
        : 'must be 1 to 64 of a-z, 0-9 and -, with no - at an end or beside another',
    ),
  ),
  description: text(MAX_DESCRIPTION_CHARS),
  license: z.exactOptional(filledText()),
  compatibility: z.exactOptional(text(MAX_COMPATIBILITY_CHARS)),
  metadata: z.exactOptional(metadata),
  'allowed-tools': z.exactOptional(allowedTools),
});

/** The rules of `allowed-tools` in our words: `Bash(git:*) Read` is `bash(git *)` and `read`. */
function splitRules(given: unknown): string[] | undefined {
  const entries = typeof given === 'string' ? given.split(/[\s,]+(?![^(]*\))/) : given;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) {
    return undefined;
  }
  const rules = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  return [...new Set(rules.flatMap(toRules))];
}

/** A name that is no tool of Claude Code stays as it is. */
function toRules(entry: string): string[] {
  const [, tool = entry, pattern] = /^([^()]+)(?:\(([\s\S]*)\))?$/.exec(entry) ?? [];
  const [...names] = toolsOf(tool);
  if (names.length === 0) names.push(tool);
  if (pattern === undefined) return names[0] === tool ? [entry] : names;
  return names.map(
    (name) => `${name}(${name === 'bash' ? pattern.replace(/:\*$/, ' *') : pattern})`,
  );
}
