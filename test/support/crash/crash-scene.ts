import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { Answer, Client } from '../clients/client.js';
import { expectSoon } from '../expect-soon.js';
import { FollowedTurn } from '../clients/followed-turn.js';
import type { ServerProcess } from '../processes/start-process.js';
import { stoppedText } from './stop-at.js';

export interface Sent {
  sessionId?: string;
  /** Of a new session. SHELL may run commands, others have to ask. */
  persona?: string;
  opts?: Record<string, unknown>;
  /** Tells its turns apart; default: the scene's own. */
  tag?: string;
  key?: string;
}

/** One line of a state machine, at which a process is killed: its turns, and what they leave. */
export class CrashScene {
  readonly #turns: FollowedTurn[] = [];

  /** @param tag no other scene's, and no part of another's. */
  constructor(
    readonly tag: string,
    private readonly projectRoot: string,
    private readonly server: () => ServerProcess,
  ) {}

  get client(): Client {
    return this.server().client;
  }

  /** Commands that append a line to the scene's file, one for each run; `then` is what follows. */
  command(then = 'true'): string {
    return `[[tool=bash {"command":"echo ran >> ${this.tag}.txt; ${then}"}]]`;
  }

  /** How often the command ran. */
  async runs(): Promise<number> {
    const file = path.join(this.projectRoot, `${this.tag}.txt`);
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.split('\n').length - 1;
  }

  async ran(times: number): Promise<void> {
    await expectSoon(async () => expect(await this.runs()).toBe(times));
  }

  /** A turn, or what becomes of a message of one; its frames come from whatever process is alive. */
  async send(text: string, { sessionId, persona, opts, tag, key }: Sent = {}) {
    const more = persona === undefined ? {} : { persona };
    const session = sessionId ?? (await this.client.createSession(this.projectRoot, more));
    const stream = await this.client.turn(
      session,
      `${text} (${tag ?? this.tag})`,
      { opts: { tools: ['bash', 'glob'], onDisconnect: 'continue', ...opts } },
      key === undefined ? {} : { 'idempotency-key': key },
    );
    const turn = new FollowedTurn(session, stream);
    this.#turns.push(turn);
    return turn;
  }

  /** A turn that waits for a person. */
  async ask(text = this.command(), sent: Sent = {}): Promise<FollowedTurn> {
    const turn = await this.send(text, sent);
    await turn.until('approval:request');
    return turn;
  }

  /** Answers what a turn asks. */
  async answer(
    turn: FollowedTurn,
    decision: string,
    kind = 'tool',
    more: Record<string, unknown> = {},
  ): Promise<Answer> {
    await expectSoon(() => expect(this.#askedBy(turn, kind)).toBeDefined());
    const id = String(this.#askedBy(turn, kind)?.data['approvalId']);
    return this.client.post(`/api/harness/approvals/${id}`, { decision, ...more });
  }

  #askedBy(turn: FollowedTurn, kind: string) {
    return turn.named('approval:request').find(({ data }) => data['kind'] === kind);
  }

  /** Until a turn of this tag has come to its `Stop`. */
  async stopped(tag = this.tag): Promise<void> {
    await expectSoon(() => {
      const { stdout, stderr } = this.server();
      expect(stdout() + stderr()).toContain(stoppedText({ tag: `(${tag})` }));
    });
  }

  /** After a crash: all its readers come back. */
  async comeBack(): Promise<void> {
    await Promise.all(this.#turns.map((turn) => turn.comeBack(this.client)));
  }

  async statusOf({ turnId }: FollowedTurn): Promise<Record<string, unknown>> {
    const { body } = await this.client.get(`/api/harness/turns/${turnId}`);
    return body['turn'] as Record<string, unknown>;
  }
}
