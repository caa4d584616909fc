import type { ArgumentKind, ToolDefinition } from '../tool.js';

/** What the patterns of rules are about, by tool; tools that declare no argument are left out. */
export function argumentKinds(
  tools: readonly Pick<ToolDefinition, 'name' | 'permissionArgument'>[],
): Record<string, ArgumentKind> {
  return Object.fromEntries(
    tools.flatMap(({ name, permissionArgument }) =>
      permissionArgument === undefined ? [] : [[name, permissionArgument.kind]],
    ),
  );
}
