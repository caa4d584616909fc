import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller } from '../access/caller.decorator.js';
import { HarmlessForPages, Owned, Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { SessionIdDto } from '../http/id-params.dto.js';
import { PersonaLibrary } from '../agents/persona-library.js';
import { chooseSkills, SkillLibrary, type SkillScope } from '../agents/skill-library.js';
import { SkillListDto, SkillQueryDto, viewSkill } from './skill.dto.js';
import { projectOf, ProjectRoots } from './project-roots.js';
import { SessionStore } from './session-store.js';

@ApiTags('tools')
@Controller('api/harness')
export class SkillController {
  constructor(
    private readonly library: SkillLibrary,
    private readonly personas: PersonaLibrary,
    private readonly projectRoots: ProjectRoots,
    private readonly sessions: SessionStore,
  ) {}

  /** Skills of the server, or of an agent, with the faults of their files */
  @Get('skills')
  @HarmlessForPages('skills are the server’s')
  @Unowned('skills of the instruction root are the server’s')
  @ApiErrors('INVALID_REQUEST', 'PERSONA_NOT_FOUND')
  listSkills(@Query() { agent }: SkillQueryDto): Promise<SkillListDto> {
    return agent === undefined ? this.#list({}) : this.#listOf(agent, {});
  }

  /** Skills of a session: those of its agent and, where that is set, of its project */
  @Get('sessions/:id/skills')
  @Owned({ session: 'params.id' })
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'PERSONA_NOT_FOUND',
    'WORKING_ROOT_INACCESSIBLE',
    'WORKING_ROOT_CONFLICT',
  )
  async listSessionSkills(
    @Param() { id }: SessionIdDto,
    @Caller() caller: Principal,
  ): Promise<SkillListDto> {
    const session = await this.sessions.get(id);
    const root = await this.projectRoots.open(session.projectRoot, caller);
    return this.#listOf(session.persona, { project: projectOf(root, session) });
  }

  async #listOf(agent: string, place: SkillScope): Promise<SkillListDto> {
    const { name, skills } = await this.personas.load(agent);
    return this.#list({ ...place, agent: name }, skills);
  }

  /** By level and name. @param named by the agent: the others are not offered. */
  async #list(place: SkillScope, named?: readonly string[]): Promise<SkillListDto> {
    const found = await this.library.find(place);
    const { skills } = chooseSkills(found, [named]);
    const offered = new Set(skills.map(({ name }) => name));
    return { skills: found.map((one) => viewSkill(one, { found, offered })) };
  }
}
