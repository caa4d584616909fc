import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RehearsalRequest } from '../../../rehearsal/request-types.js';
import { instructionRootWith } from '../agents/instruction-root.js';
import type { TestServer } from '../processes/start-server.js';
import { newFolder } from '../suite.js';

const program = fileURLToPath(new URL('changing-mcp-server.mjs', import.meta.url));

const wheels = Array.from({ length: 12 }, (_, index) => `t${index + 1}:Turns wheel ${index + 1}`);

/**
 * Variables of a server with MCP servers whose tools change: `many` with the tools `t1` to `t12`, of which `t2` is not
 * deferred, and `few` with `one` and `two`; and with agents of them.
 */
export function changingServers(more: Record<string, string> = {}): Record<string, string> {
  const file = path.join(newFolder(), 'mcp.json');
  const of = (tools: readonly string[]): object => ({
    command: process.execPath,
    args: [program, ...tools],
    deferred: { t2: false },
    perSession: true,
  });
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { many: of(wheels), few: of(['one', 'two']) } }),
  );
  return {
    TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({
      MANY: ['mcp_servers: [many]', 'permissions: {allow: [mcp__many__*]}'],
      ASKER: ['mcp_servers: [many]'],
      FEW: ['mcp_servers: [few]', 'permissions: {allow: [mcp__few__*]}'],
    }),
    TURNPIKE_MCP_FILE: file,
    ...more,
  };
}

/** The body of a server's last request to the model. */
export function lastRequest({ modelRequests }: TestServer): RehearsalRequest['body'] {
  const last = modelRequests.at(-1)?.body;
  if (last === undefined) throw new Error('No request was sent');
  return last;
}

/** A directive with JSON: `[[tool=read {…}]]`. */
export function directive(name: string, input: object = {}, rest = ''): string {
  return `[[${name} ${JSON.stringify(input)}${rest}]]`;
}

/** Runs a turn to its end. */
export async function runTurn(
  { client }: TestServer,
  sessionId: string,
  message: string,
  opts = {},
) {
  const stream = await client.turn(sessionId, message, { opts });
  const frames = await stream.all();
  const turnId = stream.header('x-turn-id');
  const dataOf = (event: string) =>
    frames.filter((one) => one.event === event).map(({ data }) => data);
  return { turnId, results: dataOf('tool:result'), end: dataOf('turn:end')[0], dataOf };
}
