import { newKey } from '../../../../src/client/new-key.js';
import type { SessionRecord } from '../../../../src/session/view-session.js';
import { ValueStore } from '../../app/value-store.js';
import type { ConversationServer, StoredConversation, Submission } from './conversation-server.js';
import { FrameBatch } from './frame-batch.js';
import { isMissing } from './is-missing.js';
import { isActive, mergeStored } from './merge-stored.js';
import { reduceTurn, type AnyFrame } from './reduce-turn.js';
import { emptyTurn, type AttachedFile } from './turn-view.js';
import { isRunning, type ShownTurn } from './shown-turn.js';

export interface ConversationState {
  status: 'loading' | 'ready' | 'failed';
  fault?: unknown;
  session?: SessionRecord;
  turns: readonly ShownTurn[];
}

/** One session as this page shows it: stored turns, the one that runs, and what is being sent. */
export class Conversation {
  readonly state = new ValueStore<ConversationState>({ status: 'loading', turns: [] });
  readonly #closed = new AbortController();
  readonly #batch = new FrameBatch((frames) => this.#reduce(frames));
  readonly #followed = new Set<string>();
  /** Followed turns of which no frame has come: the first one replaces what was stored. */
  readonly #fresh = new Set<string>();
  #locals = 0;

  constructor(
    readonly sessionId: string,
    private readonly server: ConversationServer,
    /** Told of each turn that was sent from here. */
    private readonly onSent: (turnId: string) => void,
  ) {}

  async open(): Promise<void> {
    try {
      this.#take(await this.server.load(this.sessionId));
    } catch (fault) {
      if (this.#isClosed) return;
      this.state.update((state) =>
        state.status === 'ready' ? state : { ...state, status: 'failed', fault },
      );
    }
  }

  /** Looks for turns that others have started. */
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
      // Of all else the next look, or whoever sends something, will say what is wrong.
      if (isMissing(fault)) this.state.update((state) => ({ ...state, status: 'failed', fault }));
    }
    return undefined;
  }

  async send(
    said: Pick<Submission, 'message' | 'attachments' | 'opts'>,
    files: readonly AttachedFile[],
  ) {
    this.#locals += 1;
    const localId = `local-${this.#locals}`;
    const submission = { ...said, sessionId: this.sessionId, idempotencyKey: newKey() };
    const user = { text: said.message, files, createdAt: new Date().toISOString() };
    const turn = { turnId: localId, user, view: emptyTurn(localId), submission };
    this.#update((turns) => [...turns, turn]);
    await this.#submit(localId, submission);
  }

  /** Sends again what was not sent, or follows again what was lost. */
  async retry(turnId: string): Promise<void> {
    const turn = this.state.get().turns.find((one) => one.turnId === turnId);
    if (turn === undefined) return;
    this.#change(turnId, ({ fault: _gone, ...rest }) => rest);
    if (turn.submission === undefined) await this.#follow(turnId);
    else await this.#submit(turnId, turn.submission);
  }

  /** Takes what was not sent off the page. */
  discard(turnId: string): void {
    this.#update((turns) => turns.filter((turn) => turn.turnId !== turnId));
  }

  /** Says again from the log what was said, which has more than the stored messages: sources, times. */
  async hydrate(turnId: string): Promise<void> {
    if (!this.#followed.has(turnId)) await this.#follow(turnId, true);
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
      // One that came between the two lists is shown by the next look.
      if (!shown.has(turnId)) continue;
      if (isActive(status) && !this.#followed.has(turnId)) void this.#follow(turnId);
    }
  }

  async #submit(localId: string, submission: Submission): Promise<void> {
    try {
      const { turnId, isSteered, frames } = await this.server.submit(
        submission,
        this.#closed.signal,
      );
      this.onSent(turnId);
      if (isSteered) return this.discard(localId);
      this.#begin(localId, turnId);
      await this.#read(turnId, frames);
    } catch (fault) {
      if (!this.#isClosed) this.#change(localId, (turn) => ({ ...turn, fault }));
    }
  }

  #begin(localId: string, turnId: string): void {
    this.#followed.add(turnId);
    this.#update((turns) =>
      turns
        // A look at the server may have found it first.
        .filter((turn) => turn.turnId !== turnId)
        .map((turn) => {
          if (turn.turnId !== localId) return turn;
          const { submission: _sent, ...rest } = turn;
          return { ...rest, turnId, view: { ...rest.view, turnId, phase: 'queued' as const } };
        }),
    );
  }

  #follow(turnId: string, isQuiet = false): Promise<void> {
    this.#followed.add(turnId);
    this.#fresh.add(turnId);
    return this.#read(turnId, this.server.follow(turnId, this.#closed.signal), isQuiet);
  }

  /** @param isQuiet a turn that can be shown as it is: a fault changes nothing. */
  async #read(turnId: string, frames: AsyncIterable<AnyFrame>, isQuiet = false): Promise<void> {
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
      if (!isQuiet) this.#change(turnId, (turn) => ({ ...turn, fault }));
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

  #change(turnId: string, change: (turn: ShownTurn) => ShownTurn): void {
    this.#update((turns) => turns.map((turn) => (turn.turnId === turnId ? change(turn) : turn)));
  }

  #update(change: (turns: readonly ShownTurn[]) => readonly ShownTurn[]): void {
    this.state.update((state) => ({ ...state, turns: change(state.turns) }));
  }
}
