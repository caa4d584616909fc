import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { partsAt } from '../../provider/named-blocks.js';
import { providerDetails, refusalKind } from '../../provider/provider-errors.js';
import { releaseReservation, estimateAdded } from '../budgets/estimate-call.js';
import { buildRequest } from '../prompt/model-request.js';
import { describeLeftOut, namedKeys, suspectsOf } from '../prompt/left-out-content.js';
import { isThinking, type LeftOutKey } from '../prompt/message-list.js';
import { shorten, type Undo } from '../prompt/history.js';
import type { AttemptContext } from '../state/attempt-context.js';

/** Requests that are made again, at most, for one step: a provider names one part at a time. */
const MAX_TRIES = 10;

/**
 * The remedies for a step whose request is refused for its content: a prompt that is too long is shortened, thinking
 * that is bound elsewhere is left out, and so is the part that the provider names, or what is new where it names none.
 * What is left out is stored with the step that the provider took without it.
 */
export class RequestRecovery {
  readonly #run: AttemptContext;
  readonly #tried = new Set<LeftOutKey>();
  /** What was left out before the step. */
  readonly #before: readonly LeftOutKey[];
  #tries = 0;
  #unshorten: Undo | undefined;

  constructor(run: AttemptContext) {
    this.#run = run;
    this.#before = run.conversation.prefix.leftOut ?? [];
  }

  /**
   * Changes the run's requests after the provider refused one. What was changed for an earlier refusal of the step, and
   * did not help, is taken back first.
   *
   * @returns whether the call is to be made again.
   */
  async recover(thrown: unknown): Promise<boolean> {
    const { conversation, services } = this.#run;
    const kind = refusalKind(thrown);
    switch (kind) {
      case undefined:
        return false;
      case 'prompt-too-long':
        if (conversation.recovered.has(kind)) {
          await this.#takeBackShortening();
          return false;
        }
        conversation.recovered.add(kind);
        await releaseReservation(this.#run, services.db);
        return this.#shorten();
      case 'thinking-bound':
        if (conversation.recovered.has(kind)) return false;
        conversation.recovered.add(kind);
        await releaseReservation(this.#run, services.db);
        return dropThinking(this.#run);
      case 'invalid':
        await releaseReservation(this.#run, services.db);
        return this.#leaveOut(thrown);
    }
  }

  async #shorten(): Promise<boolean> {
    const run = this.#run;
    // A message that is too long by itself stays too long behind a summary.
    if (estimateAdded(run) >= run.model.frame.model.contextWindow) return false;
    this.#unshorten = await shorten(run);
    return this.#unshorten !== undefined;
  }

  async #takeBackShortening(): Promise<void> {
    if (this.#unshorten === undefined) return;
    await this.#unshorten();
    this.#unshorten = undefined;
    this.#run.writer.emit(unshortened);
  }

  #leaveOut(thrown: unknown): boolean {
    const run = this.#run;
    const keys = this.#nextKeys(thrown).filter((key) => !this.#tried.has(key));
    const leftOutNow = run.conversation.prefix.leftOut ?? [];
    const suspected = leftOutNow.filter((key) => this.#tried.has(key));
    // The provider names other parts: those before were at fault too.
    const kept = isNamed(thrown) && keys.length > 0 ? suspected : [];
    if (suspected.length > kept.length) run.writer.emit(takenBack(describe(run, suspected)));
    setLeftOut(run, [...this.#before, ...kept, ...keys]);
    if (keys.length === 0) return false;
    for (const key of keys) this.#tried.add(key);
    run.writer.emit(leftOut(describe(run, keys)));
    return true;
  }

  /** What to leave out next: what the refusal names; else the least of what is suspected. */
  #nextKeys(thrown: unknown): readonly LeftOutKey[] {
    if (this.#tries >= MAX_TRIES) return [];
    this.#tries += 1;
    const run = this.#run;
    const paths = namedPaths(thrown);
    if (paths.length > 0) {
      const { request, keys } = buildRequest(run);
      const parts = paths.flatMap((path) => partsAt(request.messages, path));
      const named = namedKeys(parts, keys, run.turn.id);
      if (named === undefined) return [];
      if (named.length > 0) return named;
    }
    return suspectsIn(run).find((keys) => keys.some((key) => !this.#tried.has(key))) ?? [];
  }
}

function suspectsIn(run: AttemptContext): LeftOutKey[][] {
  const last = run.progress.steps.at(-1);
  const parts = last?.parts ?? [];
  return suspectsOf(
    {
      turnId: run.turn.id,
      message: last === undefined ? run.storedParts : [],
      calls: parts.flatMap((part) => (part.type === 'tool_use' ? [part.id] : [])),
    },
    run.conversation.refusedTurns,
  );
}

function setLeftOut({ model, conversation }: AttemptContext, keys: readonly LeftOutKey[]): void {
  model.frame = { ...model.frame, leftOut: keys };
  conversation.prefix = { ...conversation.prefix, leftOut: keys };
  conversation.broken ??= 'messages';
  conversation.isPrefixStored = false;
}

/** Parts of the conversation in words. */
function describe(run: AttemptContext, keys: readonly LeftOutKey[]): string {
  const earlier = new Map(run.conversation.earlierTurns.map((turn) => [turn.turnId, turn]));
  return describeLeftOut(keys, (turnId) =>
    turnId === run.turn.id ? run.storedParts : (earlier.get(turnId)?.asked ?? []),
  );
}

function namedPaths(thrown: unknown): string[] {
  const { blocks } = providerDetails(thrown);
  return Array.isArray(blocks) ? blocks.filter((path) => typeof path === 'string') : [];
}

const isNamed = (thrown: unknown): boolean => namedPaths(thrown).length > 0;

/** Earlier replies are sent without their thinking from now on, in this turn and later ones. */
function dropThinking({ conversation, model, turn, progress, writer }: AttemptContext): boolean {
  const steps = [...conversation.earlierTurns, { turnId: turn.id, steps: progress.steps }].flatMap(
    ({ turnId, steps: ofTurn }) =>
      ofTurn.filter(({ parts }) => parts.some(isThinking)).map(({ step }) => `${turnId}:${step}`),
  );
  const last = steps.at(-1);
  if (last === undefined) return false;
  model.frame = { ...model.frame, thinkingAfter: last };
  conversation.prefix = { ...conversation.prefix, thinkingAfter: last };
  conversation.broken ??= 'messages';
  conversation.isPrefixStored = false;
  writer.emit(thinkingDropped);
  return true;
}

const thinkingDropped: NoticePosted = clientNotice(
  'step',
  'thinking-dropped',
  'The provider did not take the thinking of earlier replies back: it is left out from now on.',
);

function leftOut(what: string): NoticePosted {
  return clientNotice(
    'step',
    'part-left-out',
    `The provider refused the request. It is made again without ${what}; later requests are made without it too if the provider takes this one.`,
    { what },
  );
}

function takenBack(what: string): NoticePosted {
  return clientNotice(
    'step',
    'part-taken-back',
    `The request was refused without ${what} too: later requests have it again.`,
    { what },
  );
}

const unshortened: NoticePosted = clientNotice(
  'step',
  'shortening-taken-back',
  'The request was refused as too long after it was shortened too: later requests have the whole conversation again.',
);
