import type { Frame, ReaderHistory } from '../chaos/types.js';
import { WholeAnswer, type FrameBatch, type FrameStream } from '../src/http/streams/frame-batch.js';
import { TurnController } from '../src/wires/harness/turn.controller.js';
import { Refusal, type Requests } from './requests.js';
import type { Server } from './server.js';

type Response = Parameters<TurnController['postTurn']>[5];

/** The request that opens a turn. */
export interface Post {
  key: string;
  body: Parameters<TurnController['postTurn']>[0];
}

export interface ReadPlan {
  name: string;
  /** Opens the turn; absent for a turn that is there. */
  post?: Post;
  turnId?: string;
  /** Numbers of frames after which the connection is cut. */
  cutsAfter?: readonly number[];
  /** The number of frames after which the reader leaves for good. */
  leaveAfter?: number | undefined;
  /** Time that the reader takes for each batch of frames, in ms. */
  slowMs?: number;
  /** Called with each frame and the number of frames. */
  onFrame?: (frame: Frame, count: number, turnId: string) => void;
}

export interface Reading {
  /** Undefined: the POST was refused. */
  turnId: string | undefined;
  /** The refusal that ended the reading. */
  refusal: Refusal | undefined;
  history: ReaderHistory;
}

/** Reads a turn from its first frame to its last, over as many connections as that takes. */
export async function readTurn(requests: Requests, plan: ReadPlan): Promise<Reading> {
  const reader = new TurnReader(requests, plan);
  await reader.readToEnd();
  const { turnId, refusal, history } = reader;
  return { turnId, refusal, history };
}

class TurnReader {
  turnId: string | undefined;
  refusal: Refusal | undefined;
  readonly history: ReaderHistory;
  #connection = -1;
  #cuts = 0;

  constructor(
    private readonly requests: Requests,
    private readonly plan: ReadPlan,
  ) {
    this.turnId = plan.turnId;
    this.history = { name: plan.name, frames: [], maxAwayMs: 0, hasLeft: false };
  }

  async readToEnd(): Promise<void> {
    const { scheduler } = this.requests.deployment.world;
    const { history } = this;
    let awaySince = scheduler.now;
    for (;;) {
      const opened = await this.#open();
      if (opened === 'refused') return;
      if (opened !== undefined) {
        this.#connection += 1;
        const awayMs = this.#connection === 0 ? 0 : scheduler.now - awaySince;
        history.maxAwayMs = Math.max(history.maxAwayMs, awayMs);
        await this.#receive(opened);
        awaySince = scheduler.now;
        if (history.hasLeft || history.frames.at(-1)?.event === 'process:exit') return;
      }
      await this.requests.moveOn();
    }
  }

  /** @returns undefined where no answer came. */
  async #open(): Promise<Opened | 'refused' | undefined> {
    const { requests, turnId } = this;
    const last = this.history.frames.at(-1)?.id;
    const what = turnId === undefined ? 'POST turn' : 'GET events';
    const { api } = requests;
    const { actor } = api;
    try {
      const frames = await requests.ask(what, () =>
        turnId === undefined
          ? this.#post(api)
          : api.handler(TurnController).followTurn({ id: turnId }, last, {}, toResponse()),
      );
      // The connection may have broken with its process while the answer was under way.
      return actor.isDead ? undefined : { frames, api };
    } catch (error) {
      if (!(error instanceof Refusal) || error.isPassing) return undefined;
      this.refusal = error;
      return 'refused';
    }
  }

  async #post(api: Server): Promise<FrameStream> {
    const { post } = this.plan;
    if (post === undefined) throw new Error('There is no turn to read');
    const headers = new Map<string, string>();
    const response = toResponse(headers);
    const { key, body } = post;
    const { principal } = this.requests.deployment;
    const frames = await api
      .handler(TurnController)
      .postTurn(body, body, key, principal, 'stream', response);
    if (frames instanceof WholeAnswer) throw new Error('A stream was asked for');
    this.turnId = headers.get('X-Turn-Id');
    const disposition = headers.get('X-Turn-Disposition') ?? '';
    this.requests.note(`${disposition} ${this.turnId ?? ''}: ${body.message}`);
    return frames;
  }

  /** Takes frames until the stream ends, its process dies, or the plan leaves it. */
  #receive({ frames, api }: Opened): Promise<void> {
    const { requests } = this;
    const { scheduler } = requests.deployment.world;
    return new Promise((resolve) => {
      let isOver = false;
      let last = Promise.resolve();
      const finish = (): void => {
        if (isOver) return;
        isOver = true;
        endDeath();
        subscription.unsubscribe();
        resolve();
      };
      const take = async ({ text, onDrained }: FrameBatch): Promise<void> => {
        await scheduler.gate(requests.actor, `receives ${text.length} characters`);
        if (isOver) return;
        if (this.#take(text) === 'leave') return finish();
        if (this.plan.slowMs !== undefined) await requests.pause(this.plan.slowMs);
        onDrained();
      };
      const endDeath = api.onDeath(finish);
      const subscription = frames.batches.subscribe({
        next: (batch) => {
          last = last.then(() => take(batch));
        },
        error: finish,
        complete: () => void last.then(finish),
      });
    });
  }

  #take(text: string): 'leave' | 'stay' {
    const { history, plan } = this;
    const { cutsAfter = [], leaveAfter } = plan;
    for (const frame of parseFrames(text)) {
      const { now } = this.requests.deployment.world.scheduler;
      const received = { ...frame, at: now, connection: this.#connection };
      history.frames.push(received);
      const count = history.frames.length;
      plan.onFrame?.(received, count, this.turnId ?? '');
      if (leaveAfter !== undefined && count >= leaveAfter) {
        history.hasLeft = true;
        return 'leave';
      }
      const cut = cutsAfter[this.#cuts];
      if (cut !== undefined && count >= cut) {
        this.#cuts += 1;
        return 'leave';
      }
    }
    return 'stay';
  }
}

interface Opened {
  frames: FrameStream;
  api: Server;
}

/** A response that keeps its headers, all that the handlers use of one. */
function toResponse(headers = new Map<string, string>()): Response {
  const set = (given: Record<string, string>): void => {
    for (const [name, value] of Object.entries(given)) headers.set(name, value);
  };
  return { set } as Response;
}

function parseFrames(text: string): Pick<Frame, 'id' | 'event' | 'data'>[] {
  return [...text.matchAll(/^event: (.+)\n(?:id: (.+)\n)?data: (.+)$/gm)].map(
    ([, event = '', id = '', data = '{}']) => ({
      id,
      event,
      data: JSON.parse(data) as Record<string, unknown>,
    }),
  );
}
