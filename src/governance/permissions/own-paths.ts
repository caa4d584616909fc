import { isWithin } from '../../platform/is-within.js';

/** What is the server's own, absolute: each as it is written and with its links resolved. */
export interface OwnPaths {
  /** The server's data and the kernel's folders: no session works in them, no file tool reaches them. */
  closed: readonly string[];
  /** What file tools do not reach, unless the project root is inside of it. */
  hidden: readonly string[];
  /** What they read and do not write: who could write it could say what they may do. */
  protected: readonly string[];
}

export interface OwnPathQuestion {
  effect: string;
  argument: { kind: string; texts: readonly string[]; roots?: readonly string[] } | undefined;
}

/** What file tools see nothing of in a project. @param roots of it, as written and resolved. */
export function hiddenFrom(own: OwnPaths, roots: readonly string[]): string[] {
  const isSeen = (folder: string) => roots.some((root) => isWithin(folder, root));
  return [...own.closed, ...own.hidden.filter((folder) => !isSeen(folder))];
}

/**
 * Why a call may not have its path, whatever the rules say; undefined when it may. A folder above is
 * no reason: a search that begins there leaves out what is hidden.
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
