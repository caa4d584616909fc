import type { ToldSkill } from '../../storage/shapes/sent-request.js';
import type { NarrowingSkill } from '../../storage/shapes/stored-options.js';
import { LOAD_SKILL, READ_SKILL_FILE } from '../../tools/builtin/skill-tools.js';
import type { Progress } from '../state/attempt.js';
import type { ApprovalRow } from './approval-writes.js';
import type { TurnPermissions } from '../state/attempt-context.js';
import { effectiveInput } from './judge-call.js';

export interface NarrowingFacts {
  progress: Pick<Progress, 'steps' | 'results'>;
  approvals: readonly Pick<ApprovalRow, 'callId' | 'editedInput'>[];
  /** The skills of the turn. */
  skills: readonly ToldSkill[];
}

/** Calls that no skill rules out: a loaded one could not be followed without them. */
const always = [LOAD_SKILL, READ_SKILL_FILE];

/**
 * The permissions of the last step's calls: those of the turn, within what the skills allow that earlier steps have
 * loaded. A call beside the one that loads was asked for before the model knew the skill. Pure: a recovered turn
 * is narrowed as it was.
 */
export function narrowLayers(permissions: TurnPermissions, facts: NarrowingFacts): TurnPermissions {
  const narrowing = findNarrowing(facts);
  const own = permissions.layers.at(-1);
  if (narrowing.length === 0 || own === undefined) return permissions;
  return { ...permissions, layers: [...permissions.layers.slice(0, -1), { ...own, narrowing }] };
}

function findNarrowing({ progress, approvals, skills }: NarrowingFacts): NarrowingSkill[] {
  if (skills.every(({ allowedTools }) => allowedTools === undefined)) return [];
  const loaded = new Set<unknown>();
  for (const { parts } of progress.steps.slice(0, -1)) {
    for (const part of parts) {
      if (part.type !== 'tool_use' || part.name !== LOAD_SKILL) continue;
      if (progress.results.get(part.id)?.status !== 'success') continue;
      const edits = approvals.filter(({ callId }) => callId === part.id);
      loaded.add(effectiveInput(part.input, edits)['name']);
    }
  }
  return skills.flatMap(({ name, allowedTools }) =>
    allowedTools === undefined || !loaded.has(name)
      ? []
      : [{ name, allowed: [...allowedTools, ...always] }],
  );
}
