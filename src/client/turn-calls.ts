import type { Line } from './transport.js';
import type { CallView, CancelState, StepView, TurnEvent, TurnRecord } from './server-types.js';
import type { Page } from './session-calls.js';

/** Turns beside their streams: `client.turns`. */
export class TurnCalls {
  constructor(private readonly line: Line) {}

  async get(turnId: string): Promise<TurnRecord> {
    return (await this.line.json<{ turn: TurnRecord }>({ path: pathOf(turnId) })).turn;
  }

  /**
   * Asks for its end, also of one that waits. Again is fine.
   *
   * @returns `ended` where it had not begun, and has ended; otherwise it ends shortly.
   */
  async interrupt(turnId: string): Promise<CancelState> {
    const call = { method: 'POST' as const, path: `${pathOf(turnId)}/interrupt` };
    return (await this.line.json<{ state: CancelState }>(call)).state;
  }

  /** Its model calls, in order. */
  steps(turnId: string, page: Page = {}): Promise<{ steps: StepView[]; nextCursor?: string }> {
    return this.line.json({ path: `${pathOf(turnId)}/steps`, query: { ...page } });
  }

  /** Its tool calls as the ledger has them. */
  calls(turnId: string, page: Page = {}): Promise<{ calls: CallView[]; nextCursor?: string }> {
    return this.line.json({ path: `${pathOf(turnId)}/tools`, query: { ...page } });
  }

  /** Its events with their times, as they were said; 1 to 1,000 of them. Default: 200. */
  log(turnId: string, page: Page = {}): Promise<{ events: TurnEvent[]; nextCursor?: string }> {
    return this.line.json({ path: `${pathOf(turnId)}/log`, query: { ...page } });
  }
}

function pathOf(turnId: string): string {
  return `/api/harness/turns/${encodeURIComponent(turnId)}`;
}
