import type { AgentEntry } from './agent-files.js';
import { faultsOf, type AgentProblem } from './check-agents.js';
import type { AgentFile, Persona } from './parse-agent-file.js';
import type { ReferenceContext } from './check-references.js';

/**
 * Chooses which version of an agent's file applies. One without faults does, and stays until there
 * is another without faults, or the file is gone. Of a file that was never good what can be read
 * applies, but without any tool: what could not be read may have been what it must not do.
 */
export class AgentVersions {
  readonly #onProblem: (problem: AgentProblem) => void;
  /** By file. */
  readonly #good = new Map<string, { version: AgentFile; persona: Persona }>();
  readonly #told = new Map<string, { version: AgentFile | undefined; text: string }>();

  /** @param onProblem hears each fault once per version of the file. */
  constructor(onProblem: (problem: AgentProblem) => void) {
    this.#onProblem = onProblem;
  }

  choose({ name, file }: AgentEntry, version: AgentFile, around: ReferenceContext): Persona {
    const good = this.#good.get(file);
    const faults = faultsOf(version, around);
    if (faults.length === 0) {
      this.#told.delete(file);
      if (good?.version === version) return good.persona;
      const persona = { name, ...version.content };
      this.#good.set(file, { version, persona });
      return persona;
    }
    const effect = good
      ? 'the last good version stays'
      : 'the agent gets no tools until this is corrected';
    this.report(
      faults.map(({ line, message }) => ({ file, line, message: `${message}; ${effect}` })),
      version,
    );
    return good?.persona ?? withoutTools({ name, ...version.content });
  }

  /** Says what is wrong in one file, unless it was said of this version. */
  report(problems: readonly AgentProblem[], version?: AgentFile): void {
    const [first] = problems;
    if (first === undefined) return;
    const text = problems.map(({ line, message }) => `${line}: ${message}`).join('\n');
    const told = this.#told.get(first.file);
    if (told?.text === text && told.version === version) return;
    this.#told.set(first.file, { version, text });
    for (const problem of problems) this.#onProblem(problem);
  }

  /** Forgets every file that is not one of `files`. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const known of [this.#good, this.#told]) {
      for (const file of known.keys()) if (!files.has(file)) known.delete(file);
    }
  }
}

/** All are denied, because a turn may name tools of its own. */
function withoutTools(persona: Persona): Persona {
  return {
    ...persona,
    tools: [],
    permissions: { deny: ['*'] },
  };
}
