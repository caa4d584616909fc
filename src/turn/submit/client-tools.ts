import type { ClientTool } from '../../storage/shapes/stored-options.js';
import { invalidRequest } from '../../errors/typed-error.js';

/** @throws TypedError INVALID_REQUEST for a name that the server has a tool of. */
export function checkClientTools(
  tools: readonly ClientTool[],
  ours: readonly { name: string }[],
): void {
  const taken = tools.filter(({ name }) => ours.some((tool) => tool.name === name));
  if (taken.length === 0) return;
  const names = taken.map(({ name }) => name).join(', ');
  throw invalidRequest(
    `opts.clientTools: this server has tools called ${names}. Give yours other names.`,
    { names: taken.map(({ name }) => name) },
  );
}
