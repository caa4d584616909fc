import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { errorCode } from '../platform/error-code.js';
import type { Instruction } from '../project-files/convert-instructions.js';
import { projectOf, ProjectRoots, type OpenedRoot } from './project-roots.js';
import type { SessionRow } from './session-store.js';

/** TTL of what is known of a folder, in ms: the sessions of a folder ask the disk once. */
const FRESH_MS = 1_000;

/** Finds the facts of a project that the first message of a session in it gets. */
@Injectable()
export class ProjectFacts {
  readonly #known: TtlCache<string | undefined>;

  constructor(
    @Inject(CLOCK) clock: Clock,
    @Inject(ProjectRoots) private readonly roots: Pick<ProjectRoots, 'files'>,
  ) {
    this.#known = new TtlCache(clock, FRESH_MS);
  }

  /**
   * @returns the instructions of the project, where the session takes them; else a sentence about its notes for agents.
   *   Undefined where there are none.
   */
  async find(
    { projectRoot, projectFiles }: Pick<SessionRow, 'projectRoot' | 'projectFiles'>,
    root: OpenedRoot,
  ): Promise<string | undefined> {
    if (projectFiles !== null) {
      const { value } = await this.roots.files.read(projectOf(root));
      if (value.instructions.length > 0) return describeInstructions(value.instructions);
    }
    return this.#known.get(projectRoot, () => findProjectFacts(projectRoot));
  }
}

/** The instructions as the model reads them, each under the name of its file. */
function describeInstructions(instructions: readonly Instruction[]): string {
  const texts = instructions.map(({ file, text }) => `# ${file}\n\n${text}`);
  return `The project has these instructions. Follow them where they do not contradict what you were told before.\n\n${texts.join('\n\n')}`;
}

/** Files with notes for agents. */
const notes = ['AGENTS.md', 'CLAUDE.md'];

/** A sentence about the project for its first turn; undefined where there are no notes. */
async function findProjectFacts(projectRoot: string): Promise<string | undefined> {
  const found = await Promise.all(notes.map((name) => canFind(path.join(projectRoot, name))));
  const named = notes.filter((_, index) => found[index]);
  if (named.length === 0) return undefined;
  return `The project has notes for agents in ${named.join(' and ')}. Read them before you change anything.`;
}

/** Errors of a file that is not there. */
const absent = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']);

async function canFind(file: string): Promise<boolean> {
  try {
    // Not what a link leads to: that may be outside, where nobody learns what is there.
    await lstat(file);
    return true;
  } catch (error) {
    if (absent.has(errorCode(error))) return false;
    throw error;
  }
}
