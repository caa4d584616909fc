import { faultsOf, type AgentProblem, type ReferenceContext } from './check-agents.js';
import type { AgentEntry } from './agent-files.js';
import type { AgentFile, Persona } from './parse-agent-file.js';

/**
 * Chooses the version of an agent's file that applies: the last version without faults, until the file is
 * gone. A file that never was without faults applies without any tool, as the part that could not be
 * parsed may have been a prohibition.
 */
export class AgentVersions {
  readonly #onProblem: (problem: AgentProblem) => void;
  /** The last version without faults, by file. */
  readonly #good = new Map<string, { version: AgentFile; agents: string; persona: Persona }>();
  readonly #reported = new Map<string, { version: AgentFile | undefined; text: string }>();

  /** @param onProblem called with each fault once per version of the file. */
  constructor(onProblem: (problem: AgentProblem) => void) {
    this.#onProblem = onProblem;
  }

  choose({ name, file }: AgentEntry, version: AgentFile, context: ReferenceContext): Persona {
    const good = this.#good.get(file);
    const agents = context.agents.join();
    // Tools and decision trees are those of the start: only another agent can make a reference wrong.
    if (good?.version === version && good.agents === agents) return good.persona;
    const faults = faultsOf(version, context);
    if (faults.length === 0) {
      this.#reported.delete(file);
      const isKnown = good?.version === version;
      const persona = isKnown ? good.persona : { name, file, ...version.content };
      this.#good.set(file, { version, agents, persona });
      return persona;
    }
    const effect = good
      ? 'the last good version stays'
      : 'the agent gets no tools until this is corrected';
    this.report(
      faults.map(({ line, message }) => ({ file, line, message: `${message}; ${effect}` })),
      version,
    );
    return good?.persona ?? withoutTools({ name, file, ...version.content });
  }

  /** Reports the faults of a file, unless they were reported for this version. */
  report(problems: readonly AgentProblem[], version?: AgentFile): void {
    const [first] = problems;
    if (first === undefined) return;
    const text = problems.map(({ line, message }) => `${line}: ${message}`).join('\n');
    const reported = this.#reported.get(first.file);
    if (reported?.text === text && reported.version === version) return;
    this.#reported.set(first.file, { version, text });
    for (const problem of problems) this.#onProblem(problem);
  }

  /** Forgets every file that is not one of `files`. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const known of [this.#good, this.#reported]) {
      for (const file of known.keys()) if (!files.has(file)) known.delete(file);
    }
  }
}

/** The persona without tools; all are also denied, because a turn may name tools of its own. */
function withoutTools(persona: Persona): Persona {
  return {
    ...persona,
    tools: [],
    permissions: { deny: ['*'] },
  };
}
