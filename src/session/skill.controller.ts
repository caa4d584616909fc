import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../access/caller.decorator.js';
import { Owned, Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { SessionIdDto } from '../http/id-params.dto.js';
import type { SkillView } from '../agents/view-skill.js';
import { SkillService } from './skill-service.js';
import { SkillListDto, SkillQueryDto } from './skill.dto.js';

@ApiTags('tools')
@Controller('api/harness')
export class SkillController {
  constructor(private readonly skills: SkillService) {}

  @Get('skills')
  @Unowned('skills of the instruction root are the server’s')
  @ApiOperation({
    operationId: 'listSkills',
    summary: 'Skills of the server, or of an agent, with the faults of their files',
  })
  @ApiOkResponse({ type: SkillListDto })
  @ApiErrors('INVALID_REQUEST', 'PERSONA_NOT_FOUND')
  async list(@Query() { agent }: SkillQueryDto): Promise<{ skills: SkillView[] }> {
    return { skills: await this.skills.list(agent) };
  }

  @Get('sessions/:id/skills')
  @Owned({ session: 'params.id' })
  @ApiOperation({
    operationId: 'listSessionSkills',
    summary: 'Skills of a session: those of its agent and, where that is set, of its project',
  })
  @ApiOkResponse({ type: SkillListDto })
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'PERSONA_NOT_FOUND',
    'WORKING_ROOT_INACCESSIBLE',
    'WORKING_ROOT_CONFLICT',
  )
  async ofSession(
    @Param() { id }: SessionIdDto,
    @Caller() caller: Principal,
  ): Promise<{ skills: SkillView[] }> {
    return { skills: await this.skills.ofSession(id, caller) };
  }
}
