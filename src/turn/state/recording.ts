import { canonicalJson } from '../../platform/json.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { CallEnd } from '../../tools/ledger.js';
import { loadTurns } from './load-turns.js';
import { type CallRow } from './stored-turn.js';
import type { ToolUse } from './attempt.js';
import type { Queryable } from '../../storage/connection.js';
import { turnNotFound } from './turn-errors.js';
import type { StoredRequest } from '../../storage/shapes/stored-turn.js';

export interface RecordedStep {
  parts: readonly AssistantPart[];
}

/** The code that the result of a call begins with which the recorded turn did not make. */
export const NOT_RECORDED = 'NOT_RECORDED';

/** The calls of a turn with their results, which answer the calls of its replays. No call of a replay runs. */
export class Recording {
  /** Results by tool and input, in the order of the calls; undefined: the call came to none. */
  readonly #results = new Map<string, (CallEnd | undefined)[]>();
  readonly #keys = new WeakMap<ToolUse, string>();

  /** @param steps of the recorded turn, whose order is that of its calls; `rows`: its ledger. */
  constructor(
    steps: readonly RecordedStep[],
    rows: readonly Pick<CallRow, 'callId' | 'status' | 'output' | 'files'>[],
  ) {
    const ends = new Map(rows.map((row) => [row.callId, endOf(row)]));
    for (const call of callsOf(steps)) {
      const key = this.#keyOf(call);
      const results = this.#results.get(key) ?? [];
      results.push(ends.get(call.id));
      this.#results.set(key, results);
    }
  }

  /**
   * The result of the recorded call of the same tool with the same input, the first for the first, the second for
   * the second; undefined: the recorded turn has none.
   *
   * @param steps of the replay so far, the call's among them.
   */
  find(steps: readonly RecordedStep[], call: ToolUse): CallEnd | undefined {
    const key = this.#keyOf(call);
    const same = callsOf(steps).filter((one) => one.name === call.name && this.#keyOf(one) === key);
    return this.#results.get(key)?.[same.findIndex(({ id }) => id === call.id)];
  }

  /** The end of a replay's call: the recorded result, or an error with the code `NOT_RECORDED`. */
  answer(steps: readonly RecordedStep[], call: ToolUse): CallEnd {
    return this.find(steps, call) ?? notRecorded(call);
  }

  #keyOf(call: ToolUse): string {
    const key = this.#keys.get(call) ?? callKey(call);
    this.#keys.set(call, key);
    return key;
  }
}

/** Equal for calls of one tool with equal inputs. Pure. */
export function callKey({ name, input }: Pick<ToolUse, 'name' | 'input'>): string {
  return `${name} ${canonicalJson(input)}`;
}

/** The calls that steps asked for, in order. Pure. */
export function callsOf(steps: readonly RecordedStep[]): ToolUse[] {
  return steps.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool_use'));
}

/** How a recorded call ended; a call that was claimed and has no end has an unknown one. */
function endOf({
  status,
  output,
  files,
}: Pick<CallRow, 'status' | 'output' | 'files'>): CallEnd | undefined {
  if (status === 'claimed' || output === null) return undefined;
  return { status, output, ...(files === null ? {} : { files }), durationMs: 0 };
}

function notRecorded({ name }: ToolUse): CallEnd {
  const output = `${NOT_RECORDED}: not run: this turn is a replay, whose calls are answered from a recorded turn, and that has no such call of ${name}. Go on without its result.`;
  return { status: 'error', output, durationMs: 0 };
}

/**
 * Loads what answers the calls of a replay. A replay without tools has a recording too, an empty one: none of its calls
 * may run.
 *
 * @throws TypedError TURN_NOT_FOUND where the recorded turn was deleted meanwhile.
 */
export async function loadRecording(
  db: Queryable,
  replay: NonNullable<StoredRequest['replay']>,
): Promise<Recording> {
  if (replay.tools === 'none') return new Recording([], []);
  const [recorded] = await loadTurns(db, [replay.turnId]);
  if (recorded === undefined) throw turnNotFound(replay.turnId);
  return new Recording(recorded.steps, recorded.calls);
}
