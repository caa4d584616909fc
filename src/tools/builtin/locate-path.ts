import { join, relative, resolve } from 'node:path';
import { canonicalize, fsErrorMessage } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';
import { denyOwnPath, hiddenFrom } from '../../governance/permissions/own-paths.js';
import { isWithin } from '../../platform/is-within.js';
import { resolveLinks } from '../calls/resolve-links.js';
import { ToolFailure } from '../tool-failure.js';
import type { ToolContext, ToolDefinition } from '../tool.js';
import type { PathSearch } from './find-paths.js';

/** A path that a tool may open, absolute and without links. */
export interface LocatedPath {
  path: string;
  /** The project root, without links. */
  base: string;
}

/**
 * Finds where a path leads, and judges that: the links may have been turned since the rules were asked about the call.
 * What is opened after that must be opened as `HeldFolder` does, without following a link.
 *
 * @param given absolute, or relative to the workdir.
 * @throws ToolFailure for a path outside of the workdir, of the server's own, or that is denied.
 */
export async function locatePath(
  tool: Pick<ToolDefinition, 'name' | 'effect' | 'deniedWith'>,
  given: string,
  { workdir, ownPaths, others, isDenied }: ToolContext,
): Promise<LocatedPath> {
  const shown = `path ${JSON.stringify(given)}`;
  // A workdir of a server with principals has no links: one that has become a link is not followed.
  const base = others === undefined ? await resolveLinks(resolve(workdir)) : workdir;
  const path = await canonicalize(resolve(base, given)).catch((error: unknown) => {
    throw new ToolFailure(fsErrorMessage(error, shown), { cause: error });
  });
  if (!isWithin(base, path)) {
    throw new ToolFailure(`${shown} is outside the session's working directory`);
  }
  const argument = { kind: 'path', texts: [path], roots: [base] };
  const denial =
    ownPaths === undefined ? undefined : denyOwnPath(ownPaths, { effect: tool.effect, argument });
  if (denial !== undefined) throw new ToolFailure(denial);
  if (isDenied?.(tool, spellingsOf(path, base, workdir)) === true) {
    throw new ToolFailure(`permission denied: the rules deny ${tool.name} what ${shown} leads to`);
  }
  return { path, base };
}

/** Where a tool searches, and what it leaves out. */
export type SearchRoot = Pick<PathSearch, 'root' | 'hidden' | 'isOut'> & Pick<LocatedPath, 'base'>;

/** @param given as for `locatePath`; anything but text: the workdir. @throws ToolFailure as it does. */
export async function locateSearch(
  tool: Pick<ToolDefinition, 'name' | 'effect' | 'deniedWith'>,
  given: unknown,
  context: ToolContext,
): Promise<SearchRoot> {
  const { workdir, ownPaths, isDenied } = context;
  const { path: root, base } = await locatePath(
    tool,
    typeof given === 'string' ? given : '.',
    context,
  );
  return {
    root,
    base,
    hidden: ownPaths === undefined ? [] : hiddenFrom(ownPaths, [base]),
    isOut: (file) => isDenied?.(tool, spellingsOf(file, base, workdir)) === true,
  };
}

/** Spellings of a path: below the project root as resolved and as written. */
function spellingsOf(path: string, base: string, workdir: string): string[] {
  return [path, join(workdir, relative(base, path))];
}
