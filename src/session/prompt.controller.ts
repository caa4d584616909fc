import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Caller } from '../access/caller.decorator.js';
import { Owned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { SecretVault } from '../access/secrets/secret-vault.js';
import { PersonaLibrary } from '../agents/persona-library.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { SessionIdDto } from '../http/id-params.dto.js';
import { compact } from '../platform/compact.js';
import { MCP, type Mcp } from '../tools/mcp/mcp.js';
import type { ListedPrompt } from '../tools/mcp/prompts.js';
import { PromptListDto } from './prompt.dto.js';
import { openCredentials } from './session-credentials.js';
import { listProjectPrompts } from './project-prompts.js';
import { projectOf, ProjectRoots } from './project-roots.js';
import { SessionStore, type SessionRow } from './session-store.js';

@ApiTags('tools')
@Controller('api/harness')
export class PromptController {
  constructor(
    private readonly sessions: SessionStore,
    private readonly personas: PersonaLibrary,
    private readonly projectRoots: ProjectRoots,
    private readonly vault: SecretVault,
    @Inject(MCP) private readonly mcp: Pick<Mcp, 'openForTurn'>,
  ) {}

  /** Prompts of the MCP servers of a session, and commands of its project, which `opts.prompt` of a turn names */
  @Get('sessions/:id/prompts')
  @Owned({ session: 'params.id' })
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'PERSONA_NOT_FOUND',
    'WORKING_ROOT_INACCESSIBLE',
    'WORKING_ROOT_CONFLICT',
  )
  async listSessionPrompts(
    @Param() { id }: SessionIdDto,
    @Caller() caller: Principal,
    @Req() request: Request,
  ): Promise<PromptListDto> {
    const gone = new AbortController();
    request.once('close', () => gone.abort());
    const { signal } = gone;
    const session = await this.sessions.get(id);
    const ofProject = await this.#promptsOfProject(session, caller);
    const { mcpServers: agent } = await this.personas.load(session.persona);
    const mcpServers = await openCredentials(this.vault, session);
    const opened = await this.mcp.openForTurn({
      ...compact({ agent }),
      session: { id, mcpServers },
      principalId: session.principalId,
      signal,
    });
    try {
      const { prompts, problems } = await opened.prompts.list(signal);
      return {
        prompts: [...ofProject, ...prompts],
        problems: [...opened.problems, ...problems],
      };
    } finally {
      await opened.close();
    }
  }

  async #promptsOfProject(session: SessionRow, caller: Principal): Promise<ListedPrompt[]> {
    if (session.projectFiles === null) return [];
    const root = await this.projectRoots.open(session.projectRoot, caller);
    const { value } = await this.projectRoots.files.read(projectOf(root));
    return listProjectPrompts(value.prompts);
  }
}
