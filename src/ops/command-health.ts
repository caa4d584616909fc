import type { Shells } from '../tools/shells.js';

/** How a process runs commands. */
export interface CommandHealth {
  kind: Shells['kind'];
  /** What the sandbox does not limit or keep out here, or why there is none. */
  weaknesses: readonly string[];
}

export function commandHealth(shells: Shells): CommandHealth {
  const { kind } = shells;
  return { kind, weaknesses: kind === 'sandboxed' ? shells.weaknesses : [shells.reason] };
}
