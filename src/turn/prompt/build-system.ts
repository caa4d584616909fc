import type { PermissionMode } from '../../storage/shapes/stored-permissions.js';
import { assertNever } from '../../platform/assert-never.js';

export interface SystemFacts {
  /** The persona's instructions. */
  prompt: string;
  persona: string;
  projectRoot: string;
  mode: PermissionMode;
}

/**
 * The system prompt of every call of a turn. Nothing in it changes between steps, or between turns
 * with the same persona and mode, so that it stays in the provider's cache. Pure.
 */
export function buildSystem({ prompt, persona, projectRoot, mode }: SystemFacts): string {
  return [
    prompt.trim(),
    `You are running as ${persona}, in the project ${projectRoot}. Tools work inside that folder; give paths relative to it.`,
    `Permission mode: ${mode}. ${describeMode(mode)}`,
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function describeMode(mode: PermissionMode): string {
  switch (mode) {
    case 'direct':
      return 'Reading is allowed; changing files and running commands needs approval.';
    case 'acceptEdits':
      return 'Reading and changing files is allowed; running commands needs approval.';
    case 'dontAsk':
      return 'Nobody can be asked: what is not approved in advance is denied. Do not try a denied call again.';
    case 'plan':
      return 'Read only. Explore and propose a plan; do not try to change anything.';
    default:
      return assertNever(mode);
  }
}
