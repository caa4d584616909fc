import { eq, max } from 'drizzle-orm';
import { checkAllTaken, type ResolvedAttachments } from '../../attachments/resolve-attachments.js';
import type { ReceivedFile } from '../../attachments/blob-store.js';
import { noUsage } from '../../events/turn-event.js';
import { compact } from '../../platform/compact.js';
import { newId, newTimeId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';
import type { AssistantPart, AttachmentRef, StoredPart } from '../../storage/shapes/stored-step.js';
import { messages, steps, toolCalls } from '../../storage/transcript-schema.js';
import type { CheckedClientTurn, ClientCall, ClientTurn, NewTurn } from './turn-submission.js';

/** The end reason of turns that the client sent: no attempt of this server ended them. Clients and rows know the word. */
const FROM_CLIENT = 'told';

/** Rows of one statement. */
const ROWS_AT_ONCE = 500;

/**
 * Checks the files of turns that a client sent.
 *
 * @param resolve checks the files of one message.
 * @param needsAll refuses the turn for a refused file; else the message says that the file is missing.
 * @throws TypedError ATTACHMENT_FAILURE 400.
 */
export async function checkClientTurns(
  clientTurns: readonly ClientTurn[],
  resolve: (ids: string[], files: readonly ReceivedFile[]) => Promise<ResolvedAttachments>,
  needsAll: boolean,
): Promise<CheckedClientTurn[]> {
  const checked: CheckedClientTurn[] = [];
  for (const { content, ...rest } of clientTurns) {
    const ids = content.flatMap((one) => (isStoredFile(one) ? one.id : []));
    const files = content.flatMap((one) =>
      typeof one === 'string' || isStoredFile(one) ? [] : one,
    );
    const hasFiles = ids.length + files.length > 0;
    const resolved = hasFiles ? await resolve(ids, files) : { files: [], errors: [] };
    if (needsAll) checkAllTaken(resolved);
    checked.push({ parts: orderParts(content, resolved), ...rest });
  }
  return checked;
}

/** Texts and files in the order in which they were sent. Pure. */
export function orderParts(
  content: ClientTurn['content'],
  { files, errors }: Pick<ResolvedAttachments, 'files' | 'errors'>,
): StoredPart[] {
  const byIndex = new Map<number | undefined, AttachmentRef>(
    files.map((file) => [file.index, file]),
  );
  // Files by id are resolved before those that came.
  let nextStored = 0;
  let nextSent = content.filter(isStoredFile).length;
  return content.map((one): StoredPart => {
    if (typeof one === 'string') return { type: 'text', text: one };
    const index = isStoredFile(one) ? nextStored++ : nextSent++;
    const file = byIndex.get(index);
    if (file !== undefined) return { type: 'file', file };
    const reason = errors.find((error) => error.index === index)?.reason ?? 'refused';
    const name = isStoredFile(one) ? one.id : one.name;
    return { type: 'text', text: `[The file ${name} is missing here: ${reason}]` };
  });
}

function isStoredFile(one: ClientTurn['content'][number]): one is { id: string } {
  return typeof one !== 'string' && 'id' in one;
}

/** Whether the turns of a client end with outputs of tools, from which the model goes on without a message. */
export function endsWithOutputs(clientTurns: readonly Pick<ClientTurn, 'replies'>[]): boolean {
  return (
    clientTurns
      .at(-1)
      ?.replies.at(-1)
      ?.calls.some(({ output }) => output !== undefined) ?? false
  );
}

/** Stores the turns that a client sent with its message, in the transaction that stores the message. @returns their ids. */
export async function storeClientTurns(tx: Queryable, turn: NewTurn): Promise<string[]> {
  const { clientTurns = [], clientTurnsOnlyIfEmpty = false, sessionId, now } = turn;
  if (clientTurns.length === 0) return [];
  const [last] = await tx
    .select({ at: max(turns.createdAt) })
    .from(turns)
    .where(eq(turns.sessionId, sessionId));
  if (clientTurnsOnlyIfEmpty && last !== undefined && last.at !== null) return [];
  const first = Math.max(now.getTime() - clientTurns.length, (last?.at?.getTime() ?? 0) + 1);
  const callIds = new CallIds();
  const rows = clientTurns.map((one, index) => {
    const at = new Date(first + index);
    return rowsOf(turn, one, { id: newTimeId('turn', at.getTime()), at, callIds });
  });
  // A statement has 65,535 parameters at most.
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE);
    await tx.insert(turns).values(some.map((row) => turnRow(turn, row)));
    await tx.insert(messages).values(some.map(({ stored }) => stored));
  }
  // No worker remembers them; and a claimed turn that begins after they were stored sees another head than it claimed.
  const headTurnId = rows.at(-1)?.id ?? null;
  await tx.update(sessions).set({ headTurnId }).where(eq(sessions.id, sessionId));
  const replies = rows.flatMap((row) => row.steps);
  for (let from = 0; from < replies.length; from += ROWS_AT_ONCE) {
    await tx.insert(steps).values(replies.slice(from, from + ROWS_AT_ONCE));
  }
  const calls = rows.flatMap((row) => row.calls);
  for (let from = 0; from < calls.length; from += ROWS_AT_ONCE) {
    await tx.insert(toolCalls).values(calls.slice(from, from + ROWS_AT_ONCE));
  }
  return rows.map(({ id }) => id);
}

function turnRow(turn: NewTurn, { id, at, message, clientId }: ReturnType<typeof rowsOf>) {
  const { sessionId, principalId } = turn;
  const nothing = { opts: {}, attachments: [], rejectedAttachments: [] };
  return {
    id,
    sessionId,
    principalId,
    status: 'completed' as const,
    attempt: 1,
    request: { message, ...nothing, ...compact({ clientMessageId: clientId }) },
    requestHash: FROM_CLIENT,
    options: withoutRunOptions(turn.options),
    exitCode: 0,
    endReason: FROM_CLIENT,
    createdAt: at,
    startedAt: at,
    endedAt: at,
  };
}

interface TurnIdentity {
  id: string;
  at: Date;
  callIds: CallIds;
}

interface NumberedReply {
  step: number;
  texts: readonly string[];
  calls: readonly (ClientCall & { id: string })[];
}

/** A reply that the client tells of, as a step that this server ran. */
function stepRow(turnId: string, at: Date, { step, texts, calls }: NumberedReply) {
  return {
    turnId,
    step,
    attempt: 1,
    parts: [
      ...texts.map((text): AssistantPart => ({ type: 'text', text })),
      ...calls.map((call): AssistantPart => ({
        type: 'tool_use',
        id: call.id,
        name: toolName(call.name),
        input: call.input,
      })),
    ],
    stopReason: calls.length > 0 ? ('tool_use' as const) : ('end_turn' as const),
    usage: noUsage,
    sent: null,
    startedAt: at,
    endedAt: at,
  };
}

function rowsOf(
  { sessionId }: NewTurn,
  { parts, replies, clientId }: CheckedClientTurn,
  { id, at, callIds }: TurnIdentity,
) {
  const numbered = replies.map((reply, index) => ({
    ...reply,
    step: index + 1,
    calls: reply.calls.map((call) => ({ ...call, id: callIds.of(call.callId) })),
  }));
  return {
    id,
    at,
    clientId,
    message: parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n'),
    stored: {
      id: newId('msg'),
      sessionId,
      turnId: id,
      role: 'user' as const,
      parts,
      createdAt: at,
    },
    steps: numbered.map((reply) => stepRow(id, at, reply)),
    calls: numbered.flatMap(({ step, calls }) =>
      calls.flatMap(({ id: callId, name, input, output, isError = false }) =>
        output === undefined
          ? []
          : {
              turnId: id,
              callId,
              step,
              attempt: 1,
              name: toolName(name),
              input,
              status: isError ? ('error' as const) : ('success' as const),
              output,
              durationMs: 0,
              claimedAt: at,
              endedAt: at,
            },
      ),
    ),
  };
}

/** Client tools, a prompt and the object's schema are options of an attempt, and long. */
function withoutRunOptions({ options, provenance }: NewTurn['options']): NewTurn['options'] {
  const { clientTools: _tools, output: _output, prompt: _prompt, ...kept } = options;
  return { options: kept, provenance, problems: [] };
}

/** The names that the API takes for tools. */
function toolName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'tool';
}

/** Ids of calls that the API takes, each once in a conversation: others are numbered. */
class CallIds {
  readonly #given = new Set<string>();

  of(callId: string): string {
    const isFit = /^[\w-]{1,64}$/.test(callId) && !this.#given.has(callId);
    const id = isFit ? callId : newId('call');
    this.#given.add(id);
    return id;
  }
}
