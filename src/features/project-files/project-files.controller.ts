import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Owned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { SessionIdDto } from '../../http/id-params.dto.js';
import { projectOf, ProjectRoots } from '../../session/project-roots.js';
import { SessionStore } from '../../session/session-store.js';
import { ProjectFilesDto } from './project-files.dto.js';

@ApiTags('sessions')
@Controller('api/harness')
export class ProjectFilesController {
  constructor(
    private readonly sessions: SessionStore,
    private readonly projectRoots: ProjectRoots,
  ) {}

  /** What becomes of the files that the project of a session has for Claude Code and its Agent SDK */
  @Get('sessions/:id/project-files')
  @Owned({ session: 'params.id' })
  @ApiErrors('SESSION_NOT_FOUND', 'WORKING_ROOT_INACCESSIBLE', 'WORKING_ROOT_CONFLICT')
  async getProjectFiles(
    @Param() { id }: SessionIdDto,
    @Caller() caller: Principal,
  ): Promise<ProjectFilesDto> {
    const { projectRoot, projectFiles: files } = await this.sessions.get(id);
    const project = projectOf(await this.projectRoots.open(projectRoot, caller));
    const { findings } = await this.projectRoots.files.read(project);
    const isTrusted = await this.projectRoots.files.isTrusted(project);
    return { ...(files !== null && { files }), isTrusted, findings };
  }
}
