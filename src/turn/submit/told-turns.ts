import { eq, max } from 'drizzle-orm';
import { checkAllTaken, type ResolvedAttachments } from '../../attachments/resolve-attachments.js';
import type { ReceivedFile } from '../../attachments/blob-store.js';
import { noUsage } from '../../events/turn-event.js';
import { compact } from '../../platform/compact.js';
import { newId, newTimeId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { AssistantPart, AttachmentRef, StoredPart } from '../../storage/shapes/stored-step.js';
import { messages, steps, toolCalls } from '../../storage/transcript-schema.js';
import type { CheckedToldTurn, NewTurn, ToldTurn } from './turn-submission.js';

/** The reason of the end of told turns: no run of this server ended them. */
const TOLD = 'told';

/** Rows of one statement. */
const ROWS_AT_ONCE = 500;

/**
 * Checks the files of told turns.
 *
 * @param resolve checks the files of one message.
 * @param needsAll refuses the turn for a refused file; else the message says that the file is missing.
 * @throws TypedError ATTACHMENT_FAILURE 400.
 */
export async function checkTold(
  told: readonly ToldTurn[],
  resolve: (ids: string[], files: readonly ReceivedFile[]) => Promise<ResolvedAttachments>,
  needsAll: boolean,
): Promise<CheckedToldTurn[]> {
  const checked: CheckedToldTurn[] = [];
  for (const { said, ...rest } of told) {
    const ids = said.flatMap((one) => (isKept(one) ? one.id : []));
    const files = said.flatMap((one) => (typeof one === 'string' || isKept(one) ? [] : one));
    const hasFiles = ids.length + files.length > 0;
    const resolved = hasFiles ? await resolve(ids, files) : { files: [], errors: [] };
    if (needsAll) checkAllTaken(resolved);
    checked.push({ parts: orderParts(said, resolved), ...rest });
  }
  return checked;
}

/** Texts and files in the order in which they were sent. Pure. */
export function orderParts(
  said: ToldTurn['said'],
  { files, errors }: Pick<ResolvedAttachments, 'files' | 'errors'>,
): StoredPart[] {
  const byIndex = new Map<number | undefined, AttachmentRef>(
    files.map((file) => [file.index, file]),
  );
  // Files by id are resolved before those that came.
  let nextKept = 0;
  let nextSent = said.filter(isKept).length;
  return said.map((one): StoredPart => {
    if (typeof one === 'string') return { type: 'text', text: one };
    const index = isKept(one) ? nextKept++ : nextSent++;
    const file = byIndex.get(index);
    if (file !== undefined) return { type: 'file', file };
    const reason = errors.find((error) => error.index === index)?.reason ?? 'refused';
    const name = isKept(one) ? one.id : one.name;
    return { type: 'text', text: `[The file ${name} is missing here: ${reason}]` };
  });
}

function isKept(one: ToldTurn['said'][number]): one is { id: string } {
  return typeof one !== 'string' && 'id' in one;
}

/** Whether told turns end with outputs of tools, from which the model goes on without a message. */
export function endsWithOutputs(told: readonly Pick<ToldTurn, 'replies'>[]): boolean {
  return (
    told
      .at(-1)
      ?.replies.at(-1)
      ?.calls.some(({ output }) => output !== undefined) ?? false
  );
}

/** Stores the told turns of a turn that is about to be stored, in its transaction. @returns their ids. */
export async function storeTold(tx: Queryable, turn: NewTurn): Promise<string[]> {
  const { told = [], toldFirst = false, sessionId, now } = turn;
  if (told.length === 0) return [];
  const [last] = await tx
    .select({ at: max(turns.createdAt) })
    .from(turns)
    .where(eq(turns.sessionId, sessionId));
  if (toldFirst && last !== undefined && last.at !== null) return [];
  const first = Math.max(now.getTime() - told.length, (last?.at?.getTime() ?? 0) + 1);
  const callIds = new CallIds();
  const rows = told.map((one, index) => {
    const at = new Date(first + index);
    return tellTurn(turn, one, { id: newTimeId('turn', at.getTime()), at, callIds });
  });
  // A statement has 65,535 parameters at most.
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE);
    await tx.insert(turns).values(some.map((row) => toTurn(turn, row)));
    await tx.insert(messages).values(some.map(({ stored }) => stored));
  }
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

function toTurn(turn: NewTurn, { id, at, message, clientId }: ReturnType<typeof tellTurn>) {
  const { sessionId, principalId } = turn;
  const nothing = { opts: {}, attachments: [], rejectedAttachments: [] };
  return {
    id,
    sessionId,
    principalId,
    status: 'completed' as const,
    attempt: 1,
    request: { message, ...nothing, ...compact({ clientMessageId: clientId }) },
    requestHash: TOLD,
    options: withoutTerms(turn.options),
    exitCode: 0,
    endReason: TOLD,
    createdAt: at,
    startedAt: at,
    endedAt: at,
  };
}

interface Place {
  id: string;
  at: Date;
  callIds: CallIds;
}

function tellTurn(
  { sessionId }: NewTurn,
  { parts, replies, clientId }: CheckedToldTurn,
  { id, at, callIds }: Place,
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
    steps: numbered.map(({ step, texts, calls }) => ({
      turnId: id,
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
    })),
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

/** Client tools and the object's schema are terms of a run, and long. */
function withoutTerms({ options, provenance }: NewTurn['options']): NewTurn['options'] {
  const { clientTools: _tools, output: _output, ...kept } = options;
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
