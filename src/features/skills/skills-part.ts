import * as z from 'zod/mini';
import { parseValue } from '../../platform/face.js';
import type { AnnouncedSkill } from '../../storage/shapes/sent-request.js';
import type { PartTurn, PrefixFields, PromptPart, SaidFields, ToldPart } from '../../turn/face.js';

/** The skills that a turn can load: the prompt lists them, and a notice says which are new, changed or gone. */
export const skillsPart: PromptPart<readonly AnnouncedSkill[]> = {
  order: 10,
  fields: ['skills', 'goneSkills'],
  paragraphs: ({ skills = [] }) =>
    skills.length === 0 ? [] : [`${aboutSkills}\n${listSkills(skills)}`],
  begin: (skills = []) => ({ fields: fieldOf(skills) }),
  tell,
  join,
  parse: (said) => parseValue(shape, said).value ?? {},
};

const aboutSkills =
  'Skills are instructions for certain kinds of work. Where one of these fits, call load_skill with its name before the work, and follow what it says:';

const names = z.array(z.string());
const shape = z.object({
  skills: z.exactOptional(
    z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        digest: z.string(),
        allowedTools: z.exactOptional(names),
      }),
    ),
  ),
  goneSkills: z.exactOptional(names),
});

/** Skills for the model, a line each. */
export function listSkills(skills: readonly AnnouncedSkill[]): string {
  return skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
}

function tell(
  prefix: PrefixFields,
  before: SaidFields,
  { state: skills = [] }: PartTurn<readonly AnnouncedSkill[]>,
): ToldPart {
  const wasRemoved = new Set(before.goneSkills);
  const known = byName(prefix.skills, before.skills).filter(({ name }) => !wasRemoved.has(name));
  const saidOf = new Map(known.map((skill) => [skill.name, skill]));
  const isListed = ({ name, description }: AnnouncedSkill): boolean =>
    saidOf.get(name)?.description === description;
  const added = skills.filter((skill) => !isListed(skill));
  const changed = skills.filter(
    (skill) => isListed(skill) && saidOf.get(skill.name)?.digest !== skill.digest,
  );
  const there = new Set(skills.map(({ name }) => name));
  const removed = known.filter(({ name }) => !there.has(name));
  const lines = [
    ...sentence(added, () => `From here on there are these skills too:\n${listSkills(added)}\n`),
    ...sentence(
      changed,
      (all) => `These skills have changed; load them again before you follow them: ${all}.`,
    ),
    ...sentence(removed, (all) => `These skills are gone: ${all}.`),
  ];
  const goneSkills = removed.map(({ name }) => name);
  const said = {
    ...fieldOf([...added, ...changed]),
    ...(goneSkills.length === 0 ? {} : { goneSkills }),
  };
  return { lines, said, told: fieldOf(skills) };
}

function sentence(
  skills: readonly AnnouncedSkill[],
  describe: (names: string) => string,
): string[] {
  return skills.length === 0 ? [] : [describe(skills.map(({ name }) => name).join(', '))];
}

function join(before: SaidFields, { skills = [], goneSkills = [] }: SaidFields): SaidFields {
  const mentioned = new Set([...goneSkills, ...skills.map(({ name }) => name)]);
  const stillGone = (before.goneSkills ?? []).filter((name) => !mentioned.has(name));
  return {
    skills: byName(before.skills, skills).filter(({ name }) => !goneSkills.includes(name)),
    goneSkills: [...stillGone, ...goneSkills],
  };
}

/** The skills of both lists; of two with one name, the later. */
function byName(
  before: readonly AnnouncedSkill[] = [],
  after: readonly AnnouncedSkill[] = [],
): AnnouncedSkill[] {
  return [...new Map([...before, ...after].map((skill) => [skill.name, skill])).values()];
}

/** The field is absent where there are no skills, as in what was stored before there were any. */
function fieldOf(skills: readonly AnnouncedSkill[]): { skills?: readonly AnnouncedSkill[] } {
  return skills.length === 0 ? {} : { skills };
}
