import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { SkillProject } from '../agents/skill-library.js';
import { CONFIG, ENVIRONMENT, type Config, type Environment } from '../config/config.js';
import { invalidRequest } from '../errors/typed-error.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { isWithin } from '../platform/is-within.js';
import type { Converted } from '../project-files/finding.js';
import { openProject } from '../project-files/open-project.js';
import { noFiles, readProject, type ProjectFiles } from '../project-files/read-project.js';
import type { ProjectFilesKind } from '../storage/shapes/stored-options.js';
import { resolveLinks } from '../tools/calls/call-paths.js';
import { pickShellEnv } from '../tools/shell-env.js';

/** TTL of what is known of a project, in ms: an edit counts for turns that begin later. */
const FRESH_MS = 1_000;

/** Choices of a request for a session. */
export const projectFilesChoices = ['claude', 'none'] as const;
export type ProjectFilesChoice = (typeof projectFilesChoices)[number];

/** The files that projects have for Claude Code and its Agent SDK, as far as the operator lets sessions take them. */
@Injectable()
export class ClaudeProjects {
  readonly #read: TtlCache<Converted<ProjectFiles>>;
  readonly #trusted: TtlCache<string[]>;

  constructor(
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<
      Config,
      'projectFiles' | 'trustedProjects' | 'projectVariables'
    >,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.#read = new TtlCache(clock, FRESH_MS);
    this.#trusted = new TtlCache(clock, FRESH_MS);
  }

  /**
   * Whose files a new session takes; null: none.
   *
   * @param wanted undefined: the operator's choice.
   * @throws TypedError INVALID_REQUEST where the server takes none.
   */
  choose(wanted: ProjectFilesChoice | undefined): ProjectFilesKind | null {
    const { projectFiles } = this.config;
    if (wanted === undefined) return projectFiles === 'claude' ? 'claude' : null;
    if (wanted === 'none') return null;
    if (projectFiles !== 'none') return wanted;
    throw invalidRequest(
      "'projectFiles' is not allowed on this server: its operator sets TURNPIKE_PROJECT_FILES to claude or sessions.",
      { field: 'projectFiles' },
    );
  }

  /** What the files of a project say now; nothing where the operator lets no session take them any more. */
  async read(project: SkillProject): Promise<Converted<ProjectFiles>> {
    if (this.config.projectFiles === 'none') return { value: noFiles(), findings: [] };
    return this.#read.get(JSON.stringify(project), async () => {
      const environment = (await this.isTrusted(project))
        ? pickShellEnv(this.environment, this.config.projectVariables)
        : {};
      return readProject(await openProject(project.root, project.hidden), { environment });
    });
  }

  /** Whether the operator trusts a project. @param project its folder, without links. */
  async isTrusted({ root }: Pick<SkillProject, 'root'>): Promise<boolean> {
    const { trustedProjects } = this.config;
    const folders = await this.#trusted.get('', () =>
      Promise.all(trustedProjects.map((folder) => resolveLinks(path.resolve(folder)))),
    );
    return folders.some((folder) => isWithin(folder, root));
  }
}
