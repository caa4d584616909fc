import type { FeedbackQuery, FeedbackView, GivenFeedback } from '../server-types.js';
import type { Transport } from '../transport/transport.js';

/** Judgements of turns by the caller: `client.feedback`. */
export class FeedbackCalls {
  constructor(private readonly transport: Transport) {}

  /** Sets the value of a key, in place of the one before. */
  set(turnId: string, given: GivenFeedback): Promise<FeedbackView> {
    return this.#one({ method: 'PUT', path: pathOf(turnId), body: given });
  }

  /** Takes the value of a key back. @returns what is gone. */
  delete(turnId: string, key: string): Promise<FeedbackView> {
    return this.#one({ method: 'DELETE', path: `${pathOf(turnId)}/${encodeURIComponent(key)}` });
  }

  /** The caller's feedback on a turn, by key. */
  async ofTurn(turnId: string): Promise<FeedbackView[]> {
    const call = { path: pathOf(turnId) };
    return (await this.transport.json<{ feedback: FeedbackView[] }>(call)).feedback;
  }

  /** The caller's feedback on all turns, the newest first. */
  list(query: FeedbackQuery = {}): Promise<{ feedback: FeedbackView[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/feedback', query: { ...query } });
  }

  async #one(call: Parameters<Transport['json']>[0]): Promise<FeedbackView> {
    return (await this.transport.json<{ feedback: FeedbackView }>(call)).feedback;
  }
}

function pathOf(turnId: string): string {
  return `/api/harness/turns/${encodeURIComponent(turnId)}/feedback`;
}
