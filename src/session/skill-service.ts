import { Injectable } from '@nestjs/common';
import { PersonaLibrary } from '../agents/persona-library.js';
import type { Principal } from '../access/principal.js';
import { hiddenFrom } from '../governance/permissions/own-paths.js';
import {
  chooseSkills,
  SkillLibrary,
  type SkillPlace,
  type SkillProject,
} from '../agents/skill-library.js';
import { viewSkill, type SkillView } from '../agents/view-skill.js';
import { ProjectRoots, type OpenedRoot } from './project-roots.js';
import { SessionStore } from './session-store.js';

/** Lists skills. */
@Injectable()
export class SkillService {
  constructor(
    private readonly library: SkillLibrary,
    private readonly personas: PersonaLibrary,
    private readonly projectRoots: ProjectRoots,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * The skills of the server, and with an agent those of its own, by level and name.
   *
   * @throws TypedError PERSONA_NOT_FOUND 404.
   */
  async list(agent: string | undefined): Promise<SkillView[]> {
    return agent === undefined ? this.#view({}) : this.#viewOf(agent, {});
  }

  /**
   * The skills of a session's agent, with those of its project where that is set.
   *
   * @throws TypedError SESSION_NOT_FOUND 404, PERSONA_NOT_FOUND 404, WORKING_ROOT_*.
   */
  async ofSession(sessionId: string, caller: Principal): Promise<SkillView[]> {
    const { persona, projectRoot } = await this.sessions.get(sessionId);
    const root = await this.projectRoots.open(projectRoot, caller);
    return this.#viewOf(persona, { project: projectOf(root) });
  }

  async #viewOf(agent: string, place: SkillPlace): Promise<SkillView[]> {
    const { name, skills } = await this.personas.load(agent);
    return this.#view({ ...place, agent: name }, skills);
  }

  async #view(place: SkillPlace, named?: readonly string[]): Promise<SkillView[]> {
    const found = await this.library.find(place);
    const { skills } = chooseSkills(found, [named]);
    const offered = new Set(skills.map(({ name }) => name));
    return found.map((one) => viewSkill(one, { found, offered }));
  }
}

/** A turn's folder as the library takes it. */
export function projectOf({ real, spellings, ownPaths }: OpenedRoot): SkillProject {
  return { root: real, hidden: hiddenFrom(ownPaths, spellings) };
}
