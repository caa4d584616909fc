import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, Owned, type Principal } from '../../access/face.js';
import { ApiErrors, SessionIdDto } from '../../http/face.js';
import { projectOf, ProjectRoots, SessionStore } from '../../session/face.js';
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
