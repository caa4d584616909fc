import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { compact } from '../../../platform/compact.js';
import { nameOfEntry, parseTool, type McpTool } from './parse-tool.js';
import { sendRequest } from '../transport/send-request.js';
import { cutText } from '../../../platform/text/cut-text.js';

export interface McpToolList {
  tools: McpTool[];
  /** A sentence for each tool that is left out; 11 at most. */
  problems: string[];
  /** What the server says of their use; empty: nothing. */
  instructions: string;
}

const mostTools = 200;
const mostPages = 50;
const mostProblems = 10;
/** Every request of a session has them. */
const longestInstructions = 2_000;

/** Lists the tools of a server, 200 at most. A tool that cannot be offered is left out and named. */
export async function listTools(client: Client, signal: AbortSignal): Promise<McpToolList> {
  if (client.getServerCapabilities()?.tools === undefined) {
    return { tools: [], problems: ['it has no tools'], instructions: '' };
  }
  const entries = await listEntries(client, signal);
  const tools = new Map<string, { tool: McpTool; entry: unknown }>();
  const problems: string[] = [];
  for (const entry of entries.slice(0, mostTools)) {
    // Checking a large schema takes milliseconds of the event loop.
    await nextTurn();
    try {
      const tool = parseTool(entry);
      const first = tools.get(tool.name);
      if (first === undefined) tools.set(tool.name, { tool, entry });
      else if (!isDeepStrictEqual(first.entry, entry)) {
        throw new Error('it is listed twice, and the first is offered');
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : 'its schema cannot be read';
      problems.push(`its tool ${nameOfEntry(entry)} is left out: ${why.slice(0, 200)}`);
    }
  }
  if (entries.length > mostTools) {
    problems.unshift(
      `it has more than ${mostTools} tools; only the first ${mostTools} are offered`,
    );
  }
  const instructions = cutText((client.getInstructions() ?? '').trim(), longestInstructions);
  return {
    tools: [...tools.values()].map(({ tool }) => tool),
    problems: shorten(problems),
    instructions,
  };
}

async function listEntries(client: Client, signal: AbortSignal): Promise<unknown[]> {
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && entries.length <= mostTools; page += 1) {
    const request = { method: 'tools/list', params: compact({ cursor }) };
    const result = await sendRequest(client, request, { signal });
    if (Array.isArray(result['tools'])) entries.push(...(result['tools'] as unknown[]));
    const next = result['nextCursor'];
    // Some servers give every page the cursor of the same next one.
    if (typeof next !== 'string' || next === '' || cursors.has(next)) break;
    cursors.add(next);
    cursor = next;
  }
  return entries;
}

function shorten(problems: string[]): string[] {
  const more = problems.length - mostProblems;
  return more > 0
    ? [...problems.slice(0, mostProblems), `and ${more} more of its tools`]
    : problems;
}
