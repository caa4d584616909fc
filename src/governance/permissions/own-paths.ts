import { isWithin } from '../../platform/is-within.js';

/** The server's own paths: absolute, each as written and with its links resolved. */
export interface OwnPaths {
  /**
   * The server's data and the kernel's folders: no session works in them, no file tool reaches
   * them.
   */
  closed: readonly string[];
  /** Paths that file tools do not reach, unless the project root is inside of them. */
  hidden: readonly string[];
  /** Paths that file tools only read: write access would let a turn change its own permissions. */
  protected: readonly string[];
}

export interface OwnPathQuestion {
  effect: string;
  argument: { kind: string; texts: readonly string[]; roots?: readonly string[] } | undefined;
}

/**
 * Folders that are invisible to a project's file tools. @param roots of the project, as written and
 * resolved.
 */
export function hiddenFrom(own: OwnPaths, roots: readonly string[]): string[] {
  const isSeen = (folder: string) => roots.some((root) => isWithin(folder, root));
  return [...own.closed, ...own.hidden.filter((folder) => !isSeen(folder))];
}

/**
 * The reason why a call is denied its path, whatever the rules are; undefined when it is not. A
 * parent folder is no reason: a search that begins there skips the hidden folders.
 */
export function denyOwnPath(
  own: OwnPaths,
  { effect, argument }: OwnPathQuestion,
): string | undefined {
  if (argument?.kind !== 'path') return undefined;
  const { texts, roots = [] } = argument;
  const touches = (folders: readonly string[]) =>
    folders.some((folder) => texts.some((text) => isWithin(folder, text)));
  if (touches(hiddenFrom(own, roots))) {
    return 'permission denied: this path belongs to the server, and tools do not reach it. Use another path.';
  }
  if (effect !== 'read' && touches(own.protected)) {
    return 'permission denied: this path belongs to the server, and tools only read it. Write to another path.';
  }
  return undefined;
}

/** Injects the server's `OwnPaths`. */
export const OWN_PATHS = Symbol('OwnPaths');
