import type { Shells } from '../tools/shells.js';

/** The way a process runs commands. */
export interface CommandHealth {
  kind: Shells['kind'];
  /** Gaps of the sandbox on this machine, or the reason why there is no sandbox. */
  weaknesses: readonly string[];
}

export function commandHealth(shells: Shells): CommandHealth {
  const { kind } = shells;
  return { kind, weaknesses: kind === 'sandboxed' ? shells.weaknesses : [shells.reason] };
}
