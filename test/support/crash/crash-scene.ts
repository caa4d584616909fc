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
  /** Persona of a new session. SHELL may run commands, others have to ask. */
  persona?: string;
  opts?: Record<string, unknown>;
  /** Text by which a `Stop` finds the turn; default: the scene's tag. */
  tag?: string;
  key?: string;
}

/** One line of a state machine at which a process is killed: its turns and their traces. */
export class CrashScene {
  readonly #turns: FollowedTurn[] = [];

  /**
   * @param tag unique among scenes, and no part of another tag.
   * @param instructions the server's instruction root, which is the series' own.
   */
  constructor(
    readonly tag: string,
    readonly projectRoot: string,
    readonly instructions: string,
    private readonly server: () => ServerProcess,
  ) {}

  get client(): Client {
    return this.server().client;
  }

  /**
   * A call that appends a line to the scene's file for each run; `then` is the rest of the command.
   */
  command(then = 'true'): string {
    return `[[tool=bash {"command":"echo ran >> ${this.tag}.txt; ${then}"}]]`;
  }

  /** The number of runs of the scene's command. */
  async runs(): Promise<number> {
    const file = path.join(this.projectRoot, `${this.tag}.txt`);
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.split('\n').length - 1;
  }

  async ran(times: number): Promise<void> {
    await expectSoon(async () => expect(await this.runs()).toBe(times));
  }

  /** Sends a message; the frames of its turn come from whatever process is alive. */
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

  /** Sends a message whose turn parks for a person. */
  async ask(text = this.command(), sent: Sent = {}): Promise<FollowedTurn> {
    const turn = await this.send(text, sent);
    await turn.until('approval:request');
    return turn;
  }

  /** Answers the turn's approval of a kind. */
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

  /** Waits until a turn of this tag has come to its `Stop`. */
  async stopped(tag = this.tag): Promise<void> {
    await expectSoon(() => {
      const { stdout, stderr } = this.server();
      expect(stdout() + stderr()).toContain(stoppedText({ tag: `(${tag})` }));
    });
  }

  /** Brings all readers back after a crash. */
  async comeBack(): Promise<void> {
    await Promise.all(this.#turns.map((turn) => turn.comeBack(this.client)));
  }

  async statusOf({ turnId }: FollowedTurn): Promise<Record<string, unknown>> {
    const { body } = await this.client.get(`/api/harness/turns/${turnId}`);
    return body['turn'] as Record<string, unknown>;
  }

  /** When a turn that has ended said that it began, and that it ended, as its log has it. */
  async timesOf({ turnId }: FollowedTurn): Promise<{ started: number; ended: number }> {
    const { body } = await this.client.get(`/api/harness/turns/${turnId}/log?limit=1000`);
    const events = body['events'] as { type: string; at: string }[];
    const timeOf = (name: string) => Date.parse(events.find(({ type }) => type === name)?.at ?? '');
    return { started: timeOf('turn.started'), ended: timeOf('turn.ended') };
  }
}
