import { resolve } from 'node:path';
import { canonicalize } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';
import { isPlainObject } from '../platform/json.js';
import type { PermissionArgument } from '../governance/permission-subject.js';
import type { ToolDefinition } from './tool.js';

/**
 * The argument of a call that permission rules match. A path is resolved by the function that the SDK's
 * file tools use, so that the decision is about the file that will be opened: a link becomes its target,
 * also a dangling link. A missing path is the folder itself.
 *
 * @param workdir absolute.
 * @returns undefined for a tool without such an argument, and for a path that contains NUL or whose links
 * cannot be followed: then rules that deny by pattern apply, and rules that allow by pattern do not.
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
  // A path that is no text never reaches the tool: the input check refuses it.
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
