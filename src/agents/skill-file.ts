import { createHash } from 'node:crypto';
import { atLines, splitFrontMatter, type LineProblem } from '../parsing/front-matter.js';
import { parseValue } from '../parsing/parse-value.js';
import { isPlainObject } from '../platform/json.js';
import { compact } from '../platform/compact.js';
import type { Skill } from './skill.js';
import { skillShape } from './skill-shape.js';

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

/** A field without a value, as YAML has them, counts as absent. */
function withoutEmpty(fields: unknown): unknown {
  if (!isPlainObject(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
