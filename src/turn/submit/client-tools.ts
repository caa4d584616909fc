import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import type { ClientTool } from '../../storage/shapes/stored-options.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { describedTool, type RegisteredTool } from '../../tools/registry.js';

/** Tools that the sender of the turn runs. */

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

/**
 * The client's tools for the model, and to check their calls by. Where a name is taken, the
 * server's tool has it.
 */
export function openClientTools(
  tools: readonly ClientTool[],
  taken: ReadonlySet<string>,
): { tools: RegisteredTool[]; hidden: string[] } {
  return {
    tools: tools
      .filter(({ name }) => !taken.has(name))
      .map((tool) => describedTool(tool, 'is a tool of the client: it does not run here')),
    hidden: tools.filter(({ name }) => taken.has(name)).map(({ name }) => name),
  };
}

/** The notice of a name that only the run could know to be taken: an MCP server's. */
export function clientToolHidden(name: string): NoticePosted {
  return clientNotice(
    'message',
    'client-tool-hidden',
    `The client's tool ${name} is not offered to the model: a tool of the server's has that name. Give yours another one.`,
    { name },
  );
}
