import { and, asc, eq, inArray, like, or } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { WrittenFiles } from '../../storage/shapes/stored-turn.js';
import { toolCalls } from '../../storage/transcript-schema.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { MCP_PREFIX } from '../../tools/mcp/tool-names.js';
import type { RegisteredTool } from '../../tools/registry.js';
import type { Attempt } from '../state/attempt.js';

/** Paths that a notice lists; tools, too. */
const MAX_LISTED = 100;

/** Statuses of calls that may have changed files; a refused or denied call has not run. */
const ran = ['success', 'error', 'unknown', 'claimed'] as const;

export type WritingTool = Pick<RegisteredTool, 'name' | 'effect' | 'permissionArgument'>;

/**
 * Finds the files that a turn's model must be told of, because the turns that wrote them are not in its conversation.
 * Asks the database only for a turn that replaces another.
 */
export async function findUnseenWrites({
  services,
  turn,
  session,
  earlier,
}: Attempt): Promise<WrittenFiles | undefined> {
  const { forkedFrom } = session;
  const isUnannounced = earlier.every((other) => other.turn.copiedFrom !== null);
  const ofSource = isUnannounced ? forkedFrom?.written : undefined;
  if (turn.replaces === null) return joinWritten(ofSource, undefined);
  return joinWritten(
    ofSource,
    await writtenByReplaced(services.db, services.tools.list(), turn.id),
  );
}

async function writtenByReplaced(
  db: Queryable,
  tools: readonly RegisteredTool[],
  turnId: string,
): Promise<WrittenFiles | undefined> {
  const superseded = await db
    .select({ id: turns.id })
    .from(turns)
    .where(eq(turns.supersededBy, turnId));
  return findWritten(
    db,
    tools,
    superseded.map(({ id }) => id),
  );
}

/**
 * Finds what turns wrote, by the ledger; undefined where no call of theirs can have written.
 *
 * @param tools of the server.
 */
export async function findWritten(
  db: Queryable,
  tools: readonly WritingTool[],
  turnIds: readonly string[],
): Promise<WrittenFiles | undefined> {
  const writing = tools.filter(({ effect }) => effect !== 'read');
  if (turnIds.length === 0) return undefined;
  const calls = await db
    .select({ name: toolCalls.name, input: toolCalls.input })
    .from(toolCalls)
    .innerJoin(turns, eq(turns.id, toolCalls.turnId))
    .where(
      and(
        inArray(toolCalls.turnId, [...turnIds]),
        inArray(toolCalls.status, [...ran]),
        or(
          inArray(
            toolCalls.name,
            writing.map(({ name }) => name),
          ),
          like(toolCalls.name, `${MCP_PREFIX.replaceAll('_', String.raw`\_`)}%`),
        ),
      ),
    )
    .orderBy(asc(turns.createdAt), asc(turns.id), asc(toolCalls.step), asc(toolCalls.callId));
  return listWritten(writing, calls);
}

/** Lists what calls wrote. Pure. */
export function listWritten(
  tools: readonly WritingTool[],
  calls: readonly { name: string; input: unknown }[],
): WrittenFiles | undefined {
  if (calls.length === 0) return undefined;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const [ofMcp, ofOthers] = [calls.filter(isOfMcp), calls.filter((call) => !isOfMcp(call))];
  const found = ofOthers.map(({ name, input }) => pathOf(byName.get(name), input));
  return limit({
    paths: found.flatMap((path) => (path === undefined ? [] : [path])),
    ranCommands: found.includes(undefined),
    mcpTools: ofMcp.map(({ name }) => name),
  });
}

/** Both together; a path is listed once. Pure. */
export function joinWritten(
  a: WrittenFiles | undefined,
  b: WrittenFiles | undefined,
): WrittenFiles | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const { more, ...rest } = limit({
    paths: [...a.paths, ...b.paths],
    ranCommands: a.ranCommands || b.ranCommands,
    mcpTools: [...(a.mcpTools ?? []), ...(b.mcpTools ?? [])],
  });
  return { ...rest, more: more + a.more + b.more };
}

/** Lists each path and each tool once. */
function limit(found: Required<Omit<WrittenFiles, 'more'>>): WrittenFiles {
  const paths = [...new Set(found.paths)];
  const mcpTools = [...new Set(found.mcpTools)].slice(0, MAX_LISTED);
  return {
    paths: paths.slice(0, MAX_LISTED),
    more: Math.max(0, paths.length - MAX_LISTED),
    ranCommands: found.ranCommands,
    ...compact({ mcpTools: mcpTools.length === 0 ? undefined : mcpTools }),
  };
}

function isOfMcp({ name }: { name: string }): boolean {
  return name.startsWith(MCP_PREFIX);
}

/** The path that a call names; undefined where it names none: it may have written anything. */
function pathOf(tool: WritingTool | undefined, input: unknown): string | undefined {
  const argument = tool?.permissionArgument;
  if (argument?.kind !== 'path' || !isPlainObject(input)) return undefined;
  const path = input[argument.name];
  return typeof path === 'string' ? path : undefined;
}
