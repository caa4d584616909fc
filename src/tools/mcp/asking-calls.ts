import { AsyncLocalStorage } from 'node:async_hooks';
import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { elicitResult } from './elicitation.js';
import type { sampleResult } from './sampling.js';

/** Answers what a server asks while a call of it runs. Absent: nobody answers that. */
export interface Responder {
  elicit?(params: unknown, signal: AbortSignal): Promise<ReturnType<typeof elicitResult>>;
  sample?(params: unknown, signal: AbortSignal): Promise<ReturnType<typeof sampleResult>>;
}

interface AskingCall {
  responder: Responder;
  /** Aborts when the call has ended. */
  signal: AbortSignal;
}

/** The calls that are under way on the connections to a server, and which of them asks when the server does. */
export class AskingCalls {
  readonly #calls = new Map<Client, Set<AskingCall>>();
  /** The call whose response a question came in, where each has a response of its own. */
  readonly #own = new AsyncLocalStorage<AskingCall>();

  /** Makes a call. What the server asks in it is closed with it. */
  async run<T>(client: Client, responder: Responder, work: () => Promise<T>): Promise<T> {
    const settled = new AbortController();
    const call = { responder, signal: settled.signal };
    const calls = this.#calls.get(client) ?? new Set();
    this.#calls.set(client, calls.add(call));
    try {
      return await this.#own.run(call, work);
    } finally {
      settled.abort(new Error('the call has ended'));
      calls.delete(call);
      if (calls.size === 0) this.#calls.delete(client);
    }
  }

  has(client: Client): boolean {
    return this.#calls.has(client);
  }

  clients(): Client[] {
    return [...this.#calls.keys()];
  }

  /**
   * The call in which a server asks something, and its answer. On a pipe nothing says which call that is: there it must
   * be the only one.
   *
   * @throws ProtocolError where no call can have asked, or nothing says which one did.
   */
  find<M extends keyof Responder>(
    client: Client,
    method: M,
  ): { answer: NonNullable<Responder[M]>; signal: AbortSignal } {
    const calls = [...(this.#calls.get(client) ?? [])];
    const own = calls.find((call) => call === this.#own.getStore());
    const asking = own ?? (calls.length === 1 ? calls[0] : undefined);
    const answer = asking?.responder[method];
    if (asking !== undefined && answer) return { answer, signal: asking.signal };
    const why =
      asking === undefined && calls.length > 1
        ? 'several calls are under way, and nothing says which one asks; set perSession for this server'
        : unanswered[method];
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, why);
  }
}

const unanswered: Record<keyof Responder, string> = {
  elicit: 'nobody can be asked now',
  sample: 'the model is asked only while a tool of this server is called',
};
