import type { Transport } from '../transport/transport.js';
import { newKey } from '../turn/new-key.js';
import type {
  CallView,
  CancelState,
  ReplayView,
  StepView,
  TurnComparison,
  TurnEvent,
  TurnRecord,
  WantedReplay,
} from '../server-types.js';
import type { Page } from './session-calls.js';

/** Turns beside their streams: `client.turns`. */
export class TurnCalls {
  constructor(private readonly transport: Transport) {}

  async get(turnId: string): Promise<TurnRecord> {
    return (await this.transport.json<{ turn: TurnRecord }>({ path: pathOf(turnId) })).turn;
  }

  /**
   * Asks the server to end a turn, running, queued or held. May be called again.
   *
   * @returns `ended` where the turn had not started and is over; otherwise it ends shortly.
   */
  async interrupt(turnId: string): Promise<CancelState> {
    const call = { method: 'POST' as const, path: `${pathOf(turnId)}/interrupt` };
    return (await this.transport.json<{ state: CancelState }>(call)).state;
  }

  /**
   * Runs an ended turn again in a session of its own, on recorded results of tools. Follow the turn of the answer.
   *
   * @param key the Idempotency-Key: a repeat answers with the first replay. Default: a new one.
   */
  async replay(
    turnId: string,
    wanted: WantedReplay = {},
    key: string = newKey(),
  ): Promise<TurnRecord> {
    const path = `${pathOf(turnId)}/replay`;
    const headers = { 'idempotency-key': key };
    const call = { method: 'POST' as const, path, body: wanted, headers };
    return (await this.transport.json<{ turn: TurnRecord }>(call)).turn;
  }

  /** Replays of the turn, the newest first. */
  replays(
    turnId: string,
    page: Page = {},
  ): Promise<{ replays: ReplayView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${pathOf(turnId)}/replays`, query: { ...page } });
  }

  /** Two turns side by side: the turn on the left, the other on the right. */
  compare(turnId: string, otherId: string): Promise<TurnComparison> {
    return this.transport.json({ path: `${pathOf(turnId)}/compare`, query: { with: otherId } });
  }

  /** The turn's model calls, in order. */
  steps(turnId: string, page: Page = {}): Promise<{ steps: StepView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${pathOf(turnId)}/steps`, query: { ...page } });
  }

  /** The turn's tool calls, from the ledger. */
  calls(turnId: string, page: Page = {}): Promise<{ calls: CallView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${pathOf(turnId)}/tools`, query: { ...page } });
  }

  /** The turn's events with their times. `limit`: 1 to 1,000; default: 200. */
  log(turnId: string, page: Page = {}): Promise<{ events: TurnEvent[]; nextCursor?: string }> {
    return this.transport.json({ path: `${pathOf(turnId)}/log`, query: { ...page } });
  }
}

function pathOf(turnId: string): string {
  return `/api/harness/turns/${encodeURIComponent(turnId)}`;
}
