import type { UserPart } from '../../provider/model-types.js';
import type { AssistantPart, AttachmentRef, StoredPart } from '../../storage/shapes/stored-step.js';
import { callKey, partKey, stepKey, type LeftOutKey, type PartKeys } from './message-list.js';

const filesKey = (call: LeftOutKey): LeftOutKey => `${call}/files`;

/** The turn that a key is about. */
function turnOfKey(key: LeftOutKey): string {
  return key.split('/', 1)[0] ?? key;
}

interface Result {
  output: string | null;
  files?: readonly AttachmentRef[] | null;
  shown?: readonly UserPart[];
}

/** A turn as far as parts of it can be left out. */
interface Turn {
  turnId: string;
  userParts: UserPart[];
  steps: readonly { step: number; parts: readonly AssistantPart[] }[];
  results: ReadonlyMap<string, Result>;
}

const REFUSED = 'is left out: the provider refused it';

/** The turns as they are sent, with a note in place of each part that is left out. Pure. */
export function withoutLeftOut<T extends Turn>(
  turns: readonly T[],
  leftOut: readonly LeftOutKey[],
): readonly T[] {
  if (leftOut.length === 0) return turns;
  const keys = new Set(leftOut);
  return turns.flatMap((turn) => {
    const { turnId } = turn;
    if (keys.has(turnId)) return [];
    if (!leftOut.some((key) => turnOfKey(key) === turnId)) return [turn];
    const userParts = turn.userParts.map((part, index) =>
      keys.has(partKey(turnId, index)) ? noteOf(part) : part,
    );
    const results = new Map(
      [...turn.results].map(([id, result]) => [id, shortened(result, callKey(turnId, id), keys)]),
    );
    const steps = turn.steps.map((step) =>
      keys.has(stepKey(turnId, step.step)) ? { ...step, parts: ownWords(step.parts) } : step,
    );
    return [{ ...turn, userParts, results, steps }];
  });
}

function shortened<R extends Result>(result: R, key: LeftOutKey, keys: ReadonlySet<string>): R {
  const { files: _files, shown: _shown, ...rest } = result;
  if (keys.has(key)) return { ...(rest as R), output: `[The output ${REFUSED}.]` };
  if (!keys.has(filesKey(key))) return result;
  const output = `${result.output ?? ''}\n[What the tool gave as files ${REFUSED}.]`;
  return { ...(rest as R), output };
}

function noteOf(part: UserPart): UserPart {
  const name = 'title' in part ? ` "${part.title}"` : '';
  const what = part.type === 'text' ? 'A part of this message' : `The file${name}`;
  return { type: 'text', text: `[${what} ${REFUSED}.]` };
}

/** A reply without what the provider's own tools brought, and without the citations of it. */
function ownWords(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.flatMap((part): AssistantPart[] => {
    if (part.type === 'opaque') return [];
    return part.type === 'text' ? [{ type: 'text', text: part.text }] : [part];
  });
}

/** What a run's last request had that was not in one that the provider took. */
export interface NewInRequest {
  turnId: string;
  /** The user's message, where no request with it was taken. */
  message: readonly StoredPart[];
  /** Calls whose results no request was taken with. */
  calls: readonly string[];
}

/**
 * What a refusal that names no block may be about, the least first: the new files, or the new results of tools; then
 * earlier turns that ended with a refusal and are sent all the same. Never the new message itself: without it there
 * is nothing to answer. Pure.
 */
export function suspectsOf(
  { turnId, message, calls }: NewInRequest,
  refusedTurns: readonly string[],
): LeftOutKey[][] {
  const files = message.flatMap((part, index) =>
    part.type === 'file' ? [partKey(turnId, index)] : [],
  );
  const results = calls.map((id) => callKey(turnId, id));
  return [files, results, [...refusedTurns]].filter(({ length }) => length > 0);
}

/** The keys of named parts that can be left out; undefined where one is the text of the new message. Pure. */
export function namedKeys(
  parts: readonly { part: UserPart | AssistantPart; item?: number }[],
  keys: PartKeys,
  newTurn: string,
): LeftOutKey[] | undefined {
  const isAsked = ({ part }: { part: UserPart | AssistantPart }): boolean =>
    part.type === 'text' && turnOfKey(keys.get(part) ?? '') === newTurn;
  if (parts.some(isAsked)) return undefined;
  const named = parts.flatMap(({ part, item = 0 }) => {
    const key = keys.get(part);
    if (key === undefined) return [];
    return part.type === 'tool_result' && item > 0 ? [filesKey(key)] : [key];
  });
  return [...new Set(named)];
}

/** What keys are about, for people: the files by their names. Pure. */
export function describeLeftOut(
  keys: readonly LeftOutKey[],
  storedParts: (turnId: string) => readonly StoredPart[],
): string {
  const words = keys.map((key) => {
    const [turnId = '', kind, id, rest] = key.split('/');
    const part = kind === 'part' ? storedParts(turnId)[Number(id)] : undefined;
    if (part?.type === 'file') return `the file ${part.file.name}`;
    switch (kind as 'part' | 'call' | 'step' | undefined) {
      case 'part':
        return 'a text of an earlier message';
      case 'call':
        return rest === undefined ? "a tool's result" : "the files of a tool's result";
      case 'step':
        return "results of the provider's own tools";
      case undefined:
        return 'an earlier turn that failed';
    }
  });
  return [...new Set(words)].join(', ');
}
