import type { PermissionMode as ServerMode } from '../storage/shapes/stored-options.js';
import type { PermissionMode } from './sdk-messages.js';

/** The server's mode for one of a program. With hooks that see calls first, nobody would be asked in `dontAsk`. Pure. */
export function serverMode(mode: PermissionMode, hasHooks: boolean): ServerMode {
  switch (mode) {
    case 'acceptEdits':
    case 'plan':
      return mode;
    case 'dontAsk':
      return hasHooks ? 'direct' : 'dontAsk';
    case 'default':
    case 'bypassPermissions':
      return 'direct';
  }
}

/** The mode of a turn as programs name it: the query's own, or that of the query which began it. Pure. */
export function modeOf(mode: ServerMode, own: PermissionMode, hasHooks: boolean): PermissionMode {
  if (serverMode(own, hasHooks) === mode) return own;
  return mode === 'direct' ? 'default' : mode;
}
