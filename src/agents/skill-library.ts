import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { TtlCache } from '../platform/async/ttl-cache.js';
import type { Clock } from '../platform/clock.js';
import { compact } from '../platform/compact.js';
import { unlessGone } from '../platform/error-code.js';
import { unknownName } from '../platform/parsing/nearest-name.js';
import { resolveLinks } from '../tools/calls/call-paths.js';
import { findSkills, type SkillFolder } from './find-skills.js';
import {
  type FoundSkill,
  type ParseSkill,
  type Skill,
  type SkillLevel,
  skillLevels,
} from './skill-file.js';

/** TTL of what is known of a folder, in ms: turns that begin a TTL after an edit see it. */
const FRESH_MS = 1_000;

/** The folder of a project's skills. */
const PROJECT_FOLDER = '.claude/skills';

export interface SkillLibraryOptions {
  instructionRoot: string;
  /** Whether skills of projects are used: their files are not the operator's. */
  hasProjectSkills: boolean;
  clock: Clock;
  /** Called with each fault and its location (`skills/pdf/SKILL.md:3`), until it changes. */
  onProblem(location: string, problem: string): void;
}

export interface SkillProject {
  /** Absolute, without links. */
  root: string;
  /** Folders and files that a skill's links do not reach, without links. */
  hidden: readonly string[];
  /** Whose files its sessions take, as a feature registers them. Absent: none. */
  files?: string;
}

export interface SkillScope {
  /** The agent's name. Absent: none. */
  agent?: string;
  /** Absent: no project. */
  project?: SkillProject;
}

/** The skills of the server, of its agents and, where that is set, of projects. */
export class SkillLibrary {
  readonly #root: TtlCache<string>;
  readonly #found: TtlCache<FoundSkill[]>;
  readonly #reported = new Map<string, string>();
  readonly #forms = new Map<string, ParseSkill>();

  constructor(private readonly options: SkillLibraryOptions) {
    this.#root = new TtlCache(options.clock, FRESH_MS);
    this.#found = new TtlCache(options.clock, FRESH_MS);
  }

  /** Registers the form that skills of projects have by the name that `SkillProject.files` has for it. */
  registerForm(name: string, parse: ParseSkill): void {
    this.#forms.set(name, parse);
  }

  /** All skills of a place, also those that others hide, and those with faults. */
  async find({ agent, project }: SkillScope): Promise<FoundSkill[]> {
    const { hasProjectSkills } = this.options;
    // The operator's folder, which may be a link.
    const root = await this.#root.get('root', () => resolveLinks(this.options.instructionRoot));
    const folders: SkillFolder[] = [{ level: 'server', root, hidden: [], below: 'skills' }];
    if (agent !== undefined) {
      folders.push({ level: 'agent', root, hidden: [], below: `agents/${agent}/skills` });
    }
    const form = project?.files;
    const isTaken = hasProjectSkills || this.#forms.has(form ?? '');
    if (project !== undefined && isTaken) {
      folders.push({ level: 'project', ...project, below: PROJECT_FOLDER, ...compact({ form }) });
    }
    return (await Promise.all(folders.map((folder) => this.#load(folder)))).flat();
  }

  /**
   * Looks at every skill of the instruction root, and reports what is wrong.
   *
   * @param agents all agents, with the skills that each names.
   */
  async check(agents: readonly { name: string; skills?: readonly string[] }[]): Promise<void> {
    const { instructionRoot, hasProjectSkills, onProblem } = this.options;
    for (const { name, skills = [] } of agents) {
      const found = await this.find({ agent: name });
      const known = found.map((one) => one.name);
      // What is not here may be in a project.
      const missing = hasProjectSkills ? [] : skills.filter((skill) => !known.includes(skill));
      for (const skill of missing) {
        onProblem(`agents/${name}`, `skills ${unknownName('skill', skill, known)}`);
      }
    }
    for (const name of await agentFolders(instructionRoot)) {
      if (agents.some((agent) => agent.name === name)) continue;
      onProblem(`agents/${name}/skills`, `there is no agent ${name}: nobody has these skills`);
    }
  }

  #load(folder: SkillFolder): Promise<FoundSkill[]> {
    return this.#found.get(JSON.stringify(folder), async () => {
      const found = await findSkills(folder, this.#forms.get(folder.form ?? ''));
      // A project's faults are for those who work in it, not for the operator's log.
      if (folder.level !== 'project') for (const one of found) this.#report(one);
      return found;
    });
  }

  #report({ file, faults }: FoundSkill): void {
    const text = faults.map(({ line, message }) => `${line}: ${message}`).join('\n');
    if (this.#reported.get(file) === text || (text === '' && !this.#reported.has(file))) return;
    this.#reported.set(file, text);
    for (const { line, message } of faults) {
      this.options.onProblem(`${file}:${line}`, `${message}; the skill is left out`);
    }
  }
}

/** Names of the folders in `agents/` that have a folder of skills. */
async function agentFolders(instructionRoot: string): Promise<string[]> {
  const agents = path.join(instructionRoot, 'agents');
  const entries = await namesIn(agents);
  const found = await Promise.all(
    entries.map(async (name) =>
      (await namesIn(path.join(agents, name, 'skills'))).length > 0 ? [name] : [],
    ),
  );
  return found.flat();
}

/** What is in a folder; nothing where it is not there, or may not be looked into. */
async function namesIn(folder: string): Promise<string[]> {
  return (await unlessGone(readdir(folder))) ?? [];
}

/** Skills that a prompt lists, and the bytes of their names and descriptions. */
export const MAX_LISTED_SKILLS = 64;
export const MAX_LISTED_BYTES = 32_768;

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
    if (skills.length < MAX_LISTED_SKILLS && bytes <= MAX_LISTED_BYTES) skills.push(skill);
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
