import type { McpProblem } from './definitions.js';

/** Sessions whose problems are remembered; of the oldest one they are said again. */
const MAX_SESSIONS = 5_000;

/**
 * The problems that the turns of a session were told of by this process: one that stays as it is, is said once. A worker
 * that has not had the session says it again.
 */
export class SaidProblems {
  readonly #said = new Map<string, ReadonlySet<string>>();

  /** The problems of a turn that are new to its session. One that went away and is back is new. */
  fresh(sessionId: string, problems: readonly McpProblem[]): McpProblem[] {
    const before = this.#said.get(sessionId);
    if (before === undefined && problems.length === 0) return [];
    this.#said.delete(sessionId);
    const now = problems.map(({ server, reason }) => `${server}: ${reason}`);
    if (now.length > 0) this.#said.set(sessionId, new Set(now));
    const [oldest] = this.#said.size > MAX_SESSIONS ? this.#said.keys() : [];
    if (oldest !== undefined) this.#said.delete(oldest);
    return problems.filter((_one, index) => before?.has(now[index] ?? '') !== true);
  }
}
