import type { SubagentDecision, SubagentVerdict } from '../../storage/shapes/stored-permissions.js';
import { findDelegates } from '../../agents/find-delegates.js';
import type { PersonaLibrary } from '../../agents/persona-library.js';
import type { Persona } from '../../agents/parse-agent-file.js';
import { judgeDelegation } from '../../governance/permissions/subagent-gate.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';

export interface DelegationDeps {
  personas: Pick<PersonaLibrary, 'load'>;
  clock: Clock;
  logger: Logger;
  config: {
    subagentsEnabled: boolean;
  };
}

/** Never throws: what cannot be decided is denied, and the turn goes on without delegation. */
export async function decideDelegation(
  deps: DelegationDeps,
  persona: Persona,
  metadata: unknown,
): Promise<SubagentDecision> {
  const { personas, clock, logger, config } = deps;
  const startedAt = clock.now();
  const allowlistedSubagents = persona.subagents;
  const decide = async (): Promise<Omit<SubagentDecision, 'evaluationMs'>> => {
    const isEnabled = config.subagentsEnabled;
    const verdict = judgeDelegation({ isEnabled, persona, metadata });
    if (!verdict.allowed) return { ...verdict, allowlistedSubagents, delegatedSubagents: [] };
    const { names, dropped, warnings } = await findDelegates(personas, allowlistedSubagents);
    for (const one of dropped) logger.warn({ persona: persona.name, ...one }, 'subagent dropped');
    for (const one of warnings) logger.warn({ persona: persona.name, ...one }, 'subagent is odd');
    return { ...verdict, allowlistedSubagents, delegatedSubagents: names };
  };
  const decided = await decide().catch((error: unknown) => {
    logger.error({ persona: persona.name, error }, 'delegation could not be decided');
    return { ...undecided, allowlistedSubagents, delegatedSubagents: [] };
  });
  return { ...decided, evaluationMs: clock.now() - startedAt };
}

/** Logs the decision about a turn's subagents, in one line. */
export function logDelegation(
  { logger, config }: { logger: Logger; config: { subagentWarnMs: number } },
  turn: { turnId: string; sessionId: string; persona: string },
  decision: SubagentDecision,
): void {
  const isSlow = decision.evaluationMs > config.subagentWarnMs;
  // Without agents to delegate to there was nothing to decide.
  const line = isSlow ? 'warn' : decision.allowlistedSubagents.length > 0 ? 'info' : 'debug';
  logger[line]({ ...turn, ...decision }, 'delegation decided');
}

const undecided: SubagentVerdict = {
  allowed: false,
  gate: 'INTERNAL_ERROR',
  reason: 'The decision failed; the log of the server says why.',
};
