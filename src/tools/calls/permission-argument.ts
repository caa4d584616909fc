import { resolve } from 'node:path';
import { canonicalize } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';
import { isPlainObject } from '../../platform/json.js';
import type { PermissionArgument, ToolDefinition } from '../tool.js';

/**
 * What permission rules compare of a call. A path is resolved as the SDK's file tools resolve it, by
 * the same function, so that the decision is about the file that will be opened: a link is its target,
 * also one that leads nowhere yet. A path that is not given is the folder itself.
 *
 * @param workdir absolute.
 * @returns undefined for a tool that declares nothing, and for a path whose links cannot be
 * followed or have NUL in them: rules that forbid by pattern then apply, and none that allows does.
 */
export async function findArgument(
  { permissionArgument }: Pick<ToolDefinition, 'permissionArgument'>,
  input: unknown,
  workdir: string,
): Promise<PermissionArgument | undefined> {
  if (permissionArgument === undefined) return undefined;
  const { name, kind } = permissionArgument;
  const given = isPlainObject(input) ? input[name] : undefined;
  if (kind !== 'path') return { kind, texts: typeof given === 'string' ? [given] : [] };
  const path = given ?? '';
  // What is no text never reaches the tool: its input check refuses it.
  if (typeof path !== 'string') return { kind, texts: [] };
  const root = resolve(workdir);
  try {
    const realRoot = await canonicalize(root);
    const real = await canonicalize(resolve(realRoot, path));
    return { kind, texts: unique(resolve(root, path), real), roots: unique(root, realRoot) };
  } catch {
    return undefined;
  }
}

function unique(...paths: string[]): string[] {
  return [...new Set(paths)];
}
