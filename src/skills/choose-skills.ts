import type { FoundSkill, Skill, SkillLevel } from './skill.js';
import { skillLevels } from './skill.js';

/** Skills that a prompt lists, and the bytes of their names and descriptions. */
export const MOST_LISTED = 64;
export const MOST_LISTED_BYTES = 32_768;

export interface ChosenSkills {
  /** Sorted by name. */
  skills: Skill[];
  /** Names that were asked for and that no skill has. */
  missing: string[];
  /** Names of skills that there was no space for. */
  leftOut: string[];
}

/**
 * Chooses the skills of a turn: of one name, the agent's own before the server's before the project's; of these, the
 * ones that the agent and the turn name. The order is by name, so that the same skills give the same prompt. Pure.
 *
 * @param lists names that each of them may have; undefined: all.
 */
export function chooseSkills(
  found: readonly FoundSkill[],
  lists: readonly (readonly string[] | undefined)[],
): ChosenSkills {
  const named = lists.filter((list) => list !== undefined);
  const winners = [...winnersOf(found).values()].flatMap(({ skill }) => skill ?? []);
  const wanted = winners
    .filter(({ name }) => named.every((list) => list.includes(name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const known = new Set(winners.map(({ name }) => name));
  const missing = [...new Set(named.flat())].filter((name) => !known.has(name));
  let bytes = 0;
  const skills: Skill[] = [];
  const leftOut: string[] = [];
  for (const skill of wanted) {
    bytes += Buffer.byteLength(`${skill.name}${skill.description}`);
    if (skills.length < MOST_LISTED && bytes <= MOST_LISTED_BYTES) skills.push(skill);
    else leftOut.push(skill.name);
  }
  return { skills, missing, leftOut };
}

/** The level whose skill of the same name is used in place of this one; undefined: this one is used. */
export function hiddenBy(one: FoundSkill, found: readonly FoundSkill[]): SkillLevel | undefined {
  const winner = winnersOf(found).get(one.name);
  return winner === undefined || winner === one ? undefined : winner.level;
}

/** A skill with faults hides none. */
function winnersOf(found: readonly FoundSkill[]): Map<string, FoundSkill> {
  const winners = new Map<string, FoundSkill>();
  for (const level of skillLevels) {
    for (const one of found) {
      if (one.level !== level || one.skill === undefined || winners.has(one.name)) continue;
      winners.set(one.name, one);
    }
  }
  return winners;
}
