import { TurnpikeError } from '../transport/client-errors.js';
import type { MessageView, TurnOptions, WantedSession } from '../server-types.js';
import type { FollowedTurn } from '../turn/turn.js';
import type { TurnpikeClient } from '../turnpike-client.js';
import { viewStored, type ChatMessage } from './chat-message.js';
import { emptyAnswer, foldAnswer } from './fold-answer.js';

/** Milliseconds between two states that a page renders while an answer comes: those of a screen's frame. */
const FRAME_MS = 16;

export interface ChatState {
  /** Absent before the first message. */
  sessionId?: string;
  /** Oldest first. */
  messages: readonly ChatMessage[];
  /**
   * `loading`: the history comes. `sending`: the server has not accepted the message yet. `answering`. `waiting`: for
   * a person, see `approval` of the calls. `ready`: for the next message.
   */
  status: 'loading' | 'sending' | 'answering' | 'waiting' | 'ready';
  /** What went wrong last; absent once the next message is sent. */
  error?: Error;
}

export interface ChatSettings {
  /** What a new session is made with: `persona`, `projectRoot`, … */
  session?: WantedSession;
  /** Options of each turn. Default: `onDisconnect: 'continue'`, so that a reload ends no turn. */
  opts?: TurnOptions;
  /** Called when the first message makes a session. */
  onSession?(sessionId: string): void;
}

type Answer = ChatMessage & { turnId: string };

/** A chat of a page: its messages, with the answer that comes. It lives as long as the page shows it. */
export class Chat {
  settings: ChatSettings = {};
  #state: ChatState = { messages: [], status: 'ready' };
  #phase: 'loading' | 'sending' | undefined;
  #isOpen = false;
  #left = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #locals = 0;
  readonly #fresh = new Map<string, Answer>();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly client: TurnpikeClient) {}

  readonly get = (): ChatState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows a session, and follows its turns that have not ended. @param sessionId undefined: a new one. */
  readonly open = (sessionId: string | undefined): void => {
    if (this.#isOpen && sessionId === this.#state.sessionId) return;
    this.close();
    this.#isOpen = true;
    this.#phase = undefined;
    this.#state = { messages: [], status: 'ready', ...(sessionId !== undefined && { sessionId }) };
    if (sessionId === undefined) this.#tell();
    else void this.#load(sessionId);
  };

  /** Loads the session again, as after a connection that was lost. */
  readonly reload = (): void => {
    const { sessionId } = this.#state;
    if (sessionId === undefined) return;
    this.#leave();
    void this.#load(sessionId);
  };

  /** Stops reading. Turns go on. */
  close(): void {
    this.#isOpen = false;
    this.#leave();
  }

  /**
   * Sends a message.
   *
   * @param attachments uploaded files. Default: none.
   * @returns whether the server accepted it; `error` says why not, and the message is not shown any more.
   */
  readonly send = async (
    message: string,
    attachments: readonly { id: string }[] = [],
  ): Promise<boolean> => {
    const { signal } = this.#left;
    this.#locals += 1;
    const local: ChatMessage = {
      id: `local:${this.#locals}`,
      role: 'user',
      state: 'complete',
      parts: [{ type: 'text', text: message }],
    };
    this.#phase = 'sending';
    const { error: _before, ...state } = this.#state;
    this.#state = state;
    this.#change((messages) => [...messages, local]);
    try {
      const sessionId = this.#state.sessionId ?? (await this.#create(signal));
      const opts = { onDisconnect: 'continue' as const, ...this.settings.opts };
      const turn = await this.client.turn({ sessionId, message, opts, attachments, signal });
      if (signal.aborted) return true;
      this.#phase = undefined;
      const { turnId } = turn;
      if (turn.disposition.type === 'steered') {
        turn.leave();
        this.#change((messages) => messages.filter((one) => one !== local));
        return true;
      }
      this.#change((messages) => [
        ...messages.map((one) => (one === local ? { ...local, turnId } : one)),
        emptyAnswer(turnId),
      ]);
      void this.#follow(turn, emptyAnswer(turnId));
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#phase = undefined;
      this.#change((messages) => messages.filter((one) => one !== local));
      return this.#fail(error);
    }
  };

  /** Ends what is answered. @returns whether the server was told; `error` says why not. */
  readonly stop = async (): Promise<boolean> => {
    const open = this.#state.messages.filter(hasTurn).filter(isUnended);
    return this.#try(() =>
      Promise.all(open.map(({ turnId }) => this.client.turns.interrupt(turnId))),
    );
  };

  /**
   * Answers the question of a call.
   *
   * @param decision `approve-session`: this call, and every later call of the session with the same input.
   * @param message with `deny`, for the model.
   * @returns whether the server took it; `error` says why not.
   */
  readonly answer = (
    approvalId: string,
    decision: 'approve' | 'approve-session' | 'deny',
    message?: string,
  ): Promise<boolean> => {
    const { approvals } = this.client;
    return this.#try(() => {
      if (decision === 'deny') return approvals.deny(approvalId, message);
      return decision === 'approve'
        ? approvals.approve(approvalId)
        : approvals.approveForSession(approvalId);
    });
  };

  async #create(signal: AbortSignal): Promise<string> {
    const { sessionId } = await this.client.sessions.create(this.settings.session);
    signal.throwIfAborted();
    this.#state = { ...this.#state, sessionId };
    this.settings.onSession?.(sessionId);
    return sessionId;
  }

  async #load(sessionId: string): Promise<void> {
    const { signal } = this.#left;
    const { error: _before, ...state } = this.#state;
    this.#state = state;
    this.#phase = 'loading';
    this.#tell();
    try {
      const messages = viewStored(await this.#loadMessages(sessionId));
      if (signal.aborted) return;
      this.#phase = undefined;
      // A turn that ended in its first step has no answer in the list; its events say why it ended.
      const last = messages.at(-1);
      const lost = last?.role === 'user' && last.turnId !== undefined ? [last.turnId] : [];
      const cut = lost.map((turnId) => ({ ...emptyAnswer(turnId), state: 'cut' as const }));
      this.#change(() => [...messages, ...cut]);
      for (const answer of this.#state.messages) {
        if (!hasTurn(answer) || answer.role === 'user') continue;
        const isLast = answer === this.#state.messages.at(-1);
        if (isUnended(answer)) void this.#follow(this.#reader(answer), answer);
        else if (answer.state === 'cut' && isLast) void this.#readEnded(answer);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#phase = undefined;
      this.#fail(error);
    }
  }

  async #loadMessages(sessionId: string): Promise<MessageView[]> {
    const all: MessageView[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.client.messages(sessionId, { cursor, limit: 200 });
      all.push(...page.messages);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  #reader({ turnId }: Answer): FollowedTurn {
    return this.client.follow(turnId, { signal: this.#left.signal });
  }

  /** Reads a turn from its start. The page does not show less than the history had. */
  async #follow(turn: FollowedTurn, known: ChatMessage): Promise<void> {
    const { signal } = this.#left;
    let answer = emptyAnswer(turn.turnId) as Answer;
    try {
      for await (const event of turn) {
        answer = { ...foldAnswer(answer, event), turnId: turn.turnId };
        const isBehind = answer.parts.length < known.parts.length && isRunning(answer);
        if (!isBehind) this.#show(answer);
      }
      this.#flush();
    } catch (error) {
      if (signal.aborted) return;
      this.#flush();
      this.#fail(error);
    }
  }

  /** Shows an ended turn as its events have it, all at once: they say why it ended. */
  async #readEnded(known: Answer): Promise<void> {
    const { signal } = this.#left;
    let answer = known;
    try {
      let whole = emptyAnswer(known.turnId);
      for await (const event of this.#reader(known)) whole = foldAnswer(whole, event);
      answer = { ...whole, turnId: known.turnId };
    } catch (error) {
      if (signal.aborted) return;
      // Its events are kept no longer: the history is all there is.
      const isGone = error instanceof TurnpikeError && error.status === 410;
      if (!isGone) this.#fail(error);
    }
    this.#show(answer);
    this.#flush();
  }

  /** Shows an answer with the next frame. */
  #show(answer: Answer): void {
    this.#fresh.set(answer.turnId, answer);
    this.#timer ??= setTimeout(() => this.#flush(), FRAME_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#fresh.size === 0) return;
    const fresh = new Map([...this.#fresh.values()].map((answer) => [answer.id, answer]));
    this.#fresh.clear();
    this.#change((messages) => messages.map((one) => fresh.get(one.id) ?? one));
  }

  /** Ends what this page reads. */
  #leave(): void {
    this.#left.abort();
    this.#left = new AbortController();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#fresh.clear();
  }

  async #try(call: () => Promise<unknown>): Promise<boolean> {
    const { signal } = this.#left;
    try {
      await call();
      return true;
    } catch (error) {
      return signal.aborted ? false : this.#fail(error);
    }
  }

  #fail(thrown: unknown): false {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#state = { ...this.#state, error };
    this.#tell();
    return false;
  }

  #change(change: (messages: readonly ChatMessage[]) => readonly ChatMessage[]): void {
    this.#state = { ...this.#state, messages: change(this.#state.messages) };
    this.#tell();
  }

  #tell(): void {
    const status = this.#phase ?? statusOf(this.#state.messages);
    this.#state = { ...this.#state, status };
    for (const listener of this.#listeners) listener();
  }
}

function hasTurn(message: ChatMessage): message is Answer {
  return message.turnId !== undefined;
}

function isUnended({ state }: ChatMessage): boolean {
  return state !== 'complete' && state !== 'cut';
}

function isRunning({ state }: ChatMessage): boolean {
  return state === 'queued' || state === 'running' || state === 'recovering';
}

function statusOf(messages: readonly ChatMessage[]): ChatState['status'] {
  const open = messages.filter(isUnended);
  if (open.length === 0) return 'ready';
  return open.some(({ state }) => state === 'waiting') ? 'waiting' : 'answering';
}
