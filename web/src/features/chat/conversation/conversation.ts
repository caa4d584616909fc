import { newKey } from '#src/client/transport/transport.js';
import type { SessionRecord } from '#src/client/turnpike-client.js';
import { ValueStore } from '../../../hooks/value-store.js';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import type { ConversationServer, StoredConversation } from './conversation-server.js';
import { isActive, mergeStored } from './view-messages.js';
import { reduceTurn } from './reduce-turn.js';
import {
  emptyTurn,
  isRunning,
  type AnyFrame,
  type AttachedFile,
  type ChatTurn,
  type Submission,
} from './turn-view.js';

export interface ConversationState {
  status: 'loading' | 'ready' | 'failed';
  fault?: unknown;
  session?: SessionRecord;
  turns: readonly ChatTurn[];
}

type Sent = Pick<Submission, 'message' | 'attachments' | 'opts' | 'replaces'>;

/** A session as the page shows it: stored turns, the active turn, and submissions under way. */
export class Conversation {
  readonly state = new ValueStore<ConversationState>({ status: 'loading', turns: [] });
  readonly #closed = new AbortController();
  readonly #batch = new FrameBatch((frames) => this.#reduce(frames));
  readonly #followed = new Set<string>();
  /** Followed turns without a frame so far: their first frame replaces the stored view. */
  readonly #fresh = new Set<string>();
  #locals = 0;

  constructor(
    readonly sessionId: string,
    private readonly server: ConversationServer,
    /** Called after each submission. */
    private readonly onSent: (turnId: string) => void,
  ) {}

  async open(): Promise<void> {
    try {
      this.#take(await this.#load());
    } catch (fault) {
      if (this.#isClosed) return;
      this.state.update((state) =>
        state.status === 'ready' ? state : { ...state, status: 'failed', fault },
      );
    }
  }

  /**
   * The turns come after the messages: a turn that started between the two requests has no message yet, and the next
   * sync shows it. The other way round it would have no status, and be taken for one that has ended.
   */
  async #load(): Promise<StoredConversation> {
    const { server, sessionId } = this;
    const [session, messages] = await Promise.all([
      server.session(sessionId),
      server.messages(sessionId),
    ]);
    return { session, messages, turns: await server.turns(sessionId) };
  }

  /** Loads turns that were started elsewhere. */
  async sync(): Promise<void> {
    const { status, fault: known } = this.state.get();
    if (isMissing(known)) return undefined;
    if (status !== 'ready') return this.open();
    try {
      const latest = await this.server.turns(this.sessionId);
      const known = new Set(this.state.get().turns.map(({ turnId }) => turnId));
      if (latest.some(({ turnId }) => !known.has(turnId) && !this.#followed.has(turnId))) {
        await this.open();
      }
    } catch (fault) {
      // Other faults are not shown here: if they last, the next submission shows them.
      if (isMissing(fault)) this.state.update((state) => ({ ...state, status: 'failed', fault }));
    }
    return undefined;
  }

  async send(request: Sent, files: readonly AttachedFile[]) {
    await this.#submitNew(request, files, () => undefined);
  }

  /** Sends the first message. @returns once it was accepted, or the fault that kept it from being sent. */
  begin(request: Sent, files: readonly AttachedFile[]): Promise<unknown> {
    return new Promise((resolve) => void this.#submitNew(request, files, resolve));
  }

  async #submitNew(
    request: Sent,
    files: readonly AttachedFile[],
    onAnswer: (fault?: unknown) => void,
  ) {
    this.#locals += 1;
    const localId = `local-${this.#locals}`;
    const submission = { ...request, sessionId: this.sessionId, idempotencyKey: newKey() };
    const user = { text: request.message, files, createdAt: new Date().toISOString() };
    const turn = { turnId: localId, user, view: emptyTurn(localId), submission };
    this.#update((turns) => [...turns, turn]);
    await this.#submit(localId, submission, onAnswer);
  }

  /** Shows a session that the server has changed. */
  setSession(session: SessionRecord): void {
    this.state.update((state) => ({ ...state, session }));
  }

  /** Submits a failed message again, or follows a turn again after its stream was lost. */
  async retry(turnId: string): Promise<void> {
    const turn = this.state.get().turns.find((one) => one.turnId === turnId);
    if (turn === undefined) return;
    this.#change(turnId, ({ fault: _gone, ...rest }) => rest);
    if (turn.submission === undefined) await this.#follow(turnId);
    else await this.#submit(turnId, turn.submission);
  }

  /** Removes a message that was not sent. */
  discard(turnId: string): void {
    this.#update((turns) => turns.filter((turn) => turn.turnId !== turnId));
  }

  /**
   * Shows an ended turn from its log, which has more than the stored messages: sources and times. The view changes once,
   * when the log is whole: a turn that ran again for a moment would close its dialogs, and offer Stop.
   */
  async hydrate(turnId: string): Promise<void> {
    if (this.#followed.has(turnId)) return;
    this.#followed.add(turnId);
    const frames: AnyFrame[] = [];
    try {
      for await (const frame of this.server.follow(turnId, this.#closed.signal)) frames.push(frame);
    } catch {
      // The turn stays as its messages show it, and is asked for again when it is next in view.
      this.#followed.delete(turnId);
      return;
    }
    const view = frames.reduce(reduceTurn, emptyTurn(turnId));
    if (!this.#isClosed && view.phase === 'ended')
      this.#change(turnId, (turn) => ({ ...turn, view }));
  }

  async stop(): Promise<void> {
    const active = this.state.get().turns.filter(isRunning);
    await Promise.all(active.map(({ turnId }) => this.server.interrupt(turnId)));
  }

  close(): void {
    this.#closed.abort();
    this.#batch.close();
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  #take(stored: StoredConversation): void {
    if (this.#isClosed) return;
    const turns = mergeStored(this.state.get().turns, stored, this.#followed);
    this.state.set({ status: 'ready', session: stored.session, turns });
    const shown = new Set(turns.map(({ turnId }) => turnId));
    for (const { turnId, status } of stored.turns) {
      if (!shown.has(turnId)) continue;
      if (isActive(status) && !this.#followed.has(turnId)) void this.#follow(turnId);
    }
  }

  /** @param onAnswer called once the message is accepted, or with the fault of sending it. */
  async #submit(
    localId: string,
    submission: Submission,
    onAnswer: (fault?: unknown) => void = () => undefined,
  ): Promise<void> {
    try {
      const { turnId, isSteered, frames } = await this.server.submit(
        submission,
        this.#closed.signal,
      );
      this.onSent(turnId);
      onAnswer();
      if (isSteered) return this.discard(localId);
      this.#begin(localId, turnId, submission.replaces);
      await this.#read(turnId, frames);
    } catch (fault) {
      if (!this.#isClosed) this.#change(localId, (turn) => ({ ...turn, fault }));
      onAnswer(fault);
    }
  }

  #begin(localId: string, turnId: string, replaces: string | undefined): void {
    this.#followed.add(turnId);
    this.#update((turns) =>
      supersedeTurns(turns, turnId, replaces)
        // A sync may have added the turn already.
        .filter((turn) => turn.turnId !== turnId)
        .map((turn) => {
          if (turn.turnId !== localId) return turn;
          const { submission: _sent, ...rest } = turn;
          return { ...rest, turnId, view: { ...rest.view, turnId, phase: 'queued' as const } };
        }),
    );
  }

  #follow(turnId: string): Promise<void> {
    this.#followed.add(turnId);
    this.#fresh.add(turnId);
    return this.#read(turnId, this.server.follow(turnId, this.#closed.signal));
  }

  async #read(turnId: string, frames: AsyncIterable<AnyFrame>): Promise<void> {
    try {
      for await (const frame of frames) {
        if (this.#isClosed) return;
        this.#batch.add(turnId, frame);
      }
      this.#batch.flush();
    } catch (fault) {
      if (this.#isClosed) return;
      this.#batch.flush();
      this.#fresh.delete(turnId);
      this.#change(turnId, (turn) => ({ ...turn, fault }));
    }
  }

  #reduce(frames: ReadonlyMap<string, readonly AnyFrame[]>): void {
    this.#update((turns) =>
      turns.map((turn) => {
        const own = frames.get(turn.turnId);
        if (own === undefined) return turn;
        const start = this.#fresh.delete(turn.turnId) ? emptyTurn(turn.turnId) : turn.view;
        return { ...turn, view: own.reduce(reduceTurn, start) };
      }),
    );
  }

  #change(turnId: string, change: (turn: ChatTurn) => ChatTurn): void {
    this.#update((turns) => turns.map((turn) => (turn.turnId === turnId ? change(turn) : turn)));
  }

  #update(change: (turns: readonly ChatTurn[]) => readonly ChatTurn[]): void {
    this.state.update((state) => ({ ...state, turns: change(state.turns) }));
  }
}

/** Milliseconds between flushes of a hidden tab, which gets no animation frames. */
const HIDDEN_MS = 500;

/** Collects frames until the next animation frame, so that the page renders once for all of them. */
class FrameBatch {
  #frames = new Map<string, AnyFrame[]>();
  #cancel: (() => void) | undefined;

  constructor(
    private readonly flushed: (frames: ReadonlyMap<string, readonly AnyFrame[]>) => void,
  ) {}

  add(turnId: string, frame: AnyFrame): void {
    const frames = this.#frames.get(turnId);
    if (frames === undefined) this.#frames.set(turnId, [frame]);
    else frames.push(frame);
    this.#cancel ??= this.#schedule();
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#frames.size === 0) return;
    const frames = this.#frames;
    this.#frames = new Map();
    this.flushed(frames);
  }

  /** Drops the frames that were not flushed. */
  close(): void {
    this.#cancel?.();
    this.#frames.clear();
  }

  #schedule(): () => void {
    if (document.hidden) {
      const timer = setTimeout(() => this.flush(), HIDDEN_MS);
      return () => clearTimeout(timer);
    }
    const drawing = requestAnimationFrame(() => this.flush());
    // If the tab is hidden before that, it gets no animation frame.
    const timer = setTimeout(() => this.flush(), HIDDEN_MS);
    return () => {
      cancelAnimationFrame(drawing);
      clearTimeout(timer);
    };
  }
}

/**
 * The turns after a new one supersedes one of them, and the turns of the conversation that follow it: the same rule as
 * the server's. Pure.
 *
 * @param turns oldest first.
 * @param replaces undefined: nothing is replaced.
 */
function supersedeTurns(
  turns: readonly ChatTurn[],
  supersededBy: string,
  replaces: string | undefined,
): readonly ChatTurn[] {
  const at = turns.findIndex(({ turnId }) => turnId === replaces);
  if (at === -1) return turns;
  return turns.map((turn, index) => {
    const isReplaced =
      index >= at &&
      turn.turnId !== supersededBy &&
      turn.supersededBy === undefined &&
      // A message that the server has not accepted follows nothing yet.
      turn.submission === undefined;
    return isReplaced ? { ...turn, supersededBy } : turn;
  });
}

/** Whether the session does not exist for this key. Pure. */
export function isMissing(fault: unknown): boolean {
  return fault instanceof TurnpikeError && fault.code === 'SESSION_NOT_FOUND';
}
