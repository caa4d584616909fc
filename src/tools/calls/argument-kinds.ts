import type { ArgumentKind } from '../../governance/permission-subject.js';
import type { ToolDefinition } from '../tool.js';

/**
 * Kinds of the arguments that rule patterns match, by tool; tools without such an argument are left
 * out.
 */
export function argumentKinds(
  tools: readonly Pick<ToolDefinition, 'name' | 'permissionArgument'>[],
): Record<string, ArgumentKind> {
  return Object.fromEntries(
    tools.flatMap(({ name, permissionArgument }) =>
      permissionArgument === undefined ? [] : [[name, permissionArgument.kind]],
    ),
  );
}
