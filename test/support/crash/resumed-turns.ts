import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { compact } from '../../../src/platform/compact.js';
import type { MessagesRequest } from '../../../rehearsal/request-types.js';
import { startRehearsal, type Rehearsal } from '../../../rehearsal/start-rehearsal.js';
import { instructionRootWith } from '../agents/instruction-root.js';
import type { FollowedTurn } from '../clients/followed-turn.js';
import type { ReadFrame } from '../clients/read-stream.js';
import { copyStore, newStore, type TestStore } from '../database/test-store.js';
import { expectSoon } from '../expect-soon.js';
import { startProcess, type ServerProcess } from '../processes/start-process.js';
import { newFolder } from '../suite.js';
import { decisionsOf } from './crash-lines.js';
import { CrashScene } from './crash-scene.js';
import { inDatabaseOf } from './crash-series.js';
import { numberWrites, stopNoWrite, stopTurns, writesOf } from './numbered-writes.js';
import { stoppedText } from './stop-at.js';

type Json = Record<string, unknown>;

/** A turn whose server was killed before one of its writes, at its end. */
export interface ResumedTurn {
  /** The write that the dead process did not make. */
  before: string;
  sessionId: string;
  turnId: string;
  /** What one reader saw over the kill; undefined where the turn was accepted after it. */
  seen: ReadFrame[] | undefined;
  /** The whole log, as a reader sees it who comes later. */
  log: ReadFrame[];
  /** Runs of its command, and how many of them after the kill. */
  runs: number;
  runsSince: number;
  /** The turn, its steps and its tool calls, without times and random ids. */
  outcome: Json;
  /** Each request that the model got for it, in order. */
  requests: MessagesRequest[];
}

interface Scene {
  before: string;
  scene: CrashScene;
  sessionId: string;
  /** Number of the claim that is left out, which nobody is told; undefined: it stops at another write. */
  claim: number | undefined;
  turn: FollowedTurn | undefined;
}

interface Point {
  before: string;
  write?: number;
  claim?: number;
}

/** Turns that ask a person about a command, each killed before another of its writes, and resumed. */
export class ResumedTurns {
  readonly #folder = newFolder();
  readonly #instructions = instructionRootWith({});
  /** The folder that turns work in. */
  readonly projectRoot = path.join(this.#folder, 'project');
  readonly #requests: MessagesRequest[] = [];
  readonly #scenes: Scene[] = [];
  readonly #servers: ServerProcess[] = [];
  readonly #stores: TestStore[] = [];
  #model: Rehearsal | undefined;

  get server(): ServerProcess {
    const server = this.#servers.at(-1);
    if (server === undefined) throw new Error('No process is alive');
    return server;
  }

  /** The writes of a whole turn, in order; the last point is after the last of them. */
  get points(): string[] {
    return this.#scenes.map(({ before }) => before);
  }

  /** Turns of which one was played whole, and one to each write that this one made; their process is dead. */
  static async open(): Promise<ResumedTurns> {
    const turns = new ResumedTurns();
    try {
      await turns.#open();
      return turns;
    } catch (error) {
      await turns.close();
      throw error;
    }
  }

  async #open(): Promise<void> {
    this.#model = await startRehearsal({
      onRequest: ({ body }) => this.#requests.push(body),
    });
    await mkdir(this.projectRoot);
    const store = await newStore();
    this.#stores.push(store);
    await inDatabaseOf(store, numberWrites);
    await this.#start(store);
    const { projectRoot } = this;
    const play = async (tag: string, { before, claim }: Point): Promise<Scene> => {
      const scene = new CrashScene(tag, projectRoot, this.#instructions, () => this.server);
      const sessionId = await scene.client.createSession(projectRoot);
      const played: Scene = { before, claim, scene, sessionId, turn: undefined };
      await this.#play(played);
      return played;
    };
    await play('w0', { before: 'none' });
    await this.#kill();
    const points = await inDatabaseOf(store, async (db): Promise<Point[]> => {
      const writes = await writesOf(db, 'w0');
      const all: Point[] = [
        ...writes.map((what, index) => ({
          before: `write ${index + 1}: ${what}`,
          write: index + 1,
        })),
        { before: 'its first claim', claim: 1 },
        { before: 'the claim after the answer', claim: 2 },
        { before: 'nothing: it has ended' },
      ];
      await stopTurns(
        db,
        all.map(({ write, claim }, index) => ({
          tag: `w${index + 1}`,
          ...compact({ write, claim }),
        })),
      );
      return all;
    });
    await this.#start(store);
    for (const [index, point] of points.entries()) {
      this.#scenes.push(await play(`w${index + 1}`, point));
    }
    await this.#kill();
    await inDatabaseOf(store, stopNoWrite);
    this.#stores.push(await copyStore(store));
  }

  /**
   * Resumes all of them in a process over the store that was left, or over the copy of it.
   *
   * @returns a turn for each point.
   */
  async resume(from: 'store' | 'copy'): Promise<ResumedTurn[]> {
    const store = this.#stores[from === 'store' ? 0 : 1];
    if (store === undefined) throw new Error('It is not open');
    // What the first process over this store does counts, whoever looks at it when.
    const isFirst = from === 'store';
    const requestsBefore = isFirst ? 0 : this.#requests.length;
    const runsBefore = await Promise.all(this.#scenes.map(({ scene }) => scene.runs()));
    await this.restart(store);
    const resumed: ResumedTurn[] = [];
    for (const [index, played] of this.#scenes.entries()) {
      const turn = await this.#finish(played, isFirst);
      const tag = `(${played.scene.tag})`;
      const runs = await played.scene.runs();
      resumed.push({
        ...turn,
        runs,
        runsSince: runs - (runsBefore[index] ?? 0),
        requests: this.#requests
          .slice(requestsBefore)
          .filter((body) => JSON.stringify(body.messages).includes(tag)),
      });
    }
    return resumed;
  }

  /** Ends the process, if there is one, as kill -9 does, and starts the next. */
  async restart(store = this.#stores[0]): Promise<void> {
    if (store === undefined) throw new Error('It is not open');
    await this.#kill();
    await inDatabaseOf(store, (db) =>
      // As if the lease of the dead had run out.
      db.execute(sql`update turns set lease_until = now() where lease_until > now()`),
    );
    await this.#start(store);
  }

  /** Starts processes beside the one that is alive, where the store takes several. @returns the addresses of all. */
  async join(processes: number): Promise<string[]> {
    const [store] = this.#stores;
    if (store?.environment['DATABASE_URL'] !== undefined) {
      while (this.#servers.length < processes) await this.#start(store);
    }
    return this.#servers.map(({ url }) => url);
  }

  /** The requests that the model gets while something is done. */
  async requestsDuring(work: () => Promise<unknown>): Promise<MessagesRequest[]> {
    const before = this.#requests.length;
    await work();
    return this.#requests.slice(before);
  }

  async close(): Promise<void> {
    await this.#kill();
    await this.#model?.close();
    for (const store of this.#stores) await store.close();
    for (const made of [this.#folder, this.#instructions]) {
      await rm(made, { recursive: true, force: true, maxRetries: 10 });
    }
  }

  /** Plays a turn until it is stopped, or has ended. */
  async #play(played: Scene): Promise<void> {
    const { scene, claim, before } = played;
    const isStopped = (): boolean =>
      // Errors are on one of them, by their level.
      (this.server.stdout() + this.server.stderr()).includes(
        stoppedText({ tag: `(${scene.tag})` }),
      );
    const until = (name: string): Promise<void> =>
      expectSoon(() => {
        if (isStopped() || (played.turn?.named(name).length ?? 0) > 0) return;
        throw new Error(`Before ${before}: it neither stops nor comes to ${name}`);
      });
    try {
      played.turn = await this.#send(played);
      if (claim === 1) return;
      await until('approval:request');
      if (played.turn.named('approval:request').length > 0) {
        await scene.answer(played.turn, 'approve');
        if (claim === undefined) await until('process:exit');
      }
    } catch (error) {
      // A request whose write is refused is answered with an error: its client sends it again.
      if (!isStopped()) throw error;
    }
  }

  #send({ scene, sessionId }: Scene): Promise<FollowedTurn> {
    return scene.send(scene.command(), { sessionId, key: scene.tag });
  }

  async #finish(
    played: Scene,
    isFirst: boolean,
  ): Promise<Omit<ResumedTurn, 'runs' | 'runsSince' | 'requests'>> {
    const { scene, before, sessionId } = played;
    const wasThere = isFirst ? played.turn : undefined;
    await wasThere?.comeBack(scene.client);
    const turn = wasThere ?? (await this.#send(played));
    await turn.until('approval:request');
    // Refused where the answer of before the kill is stored.
    if (decisionsOf(turn).length === 0) await scene.answer(turn, 'approve');
    await turn.until('process:exit');
    return {
      before,
      sessionId,
      turnId: turn.turnId,
      seen: wasThere?.frames,
      log: await (await scene.client.follow(turn.turnId)).all(),
      outcome: await this.#outcomeOf(turn.turnId),
    };
  }

  async #outcomeOf(turnId: string): Promise<Json> {
    const route = `/api/harness/turns/${turnId}`;
    const [turn, steps, tools] = await Promise.all(
      [route, `${route}/steps`, `${route}/tools`].map(
        async (path_) => (await this.server.client.get(path_)).body,
      ),
    );
    return { turn: turn?.['turn'], steps: steps?.['steps'], calls: tools?.['calls'] };
  }

  async #start({ environment }: TestStore): Promise<void> {
    const url = this.#model?.url ?? '';
    this.#servers.push(
      await startProcess({
        ...environment,
        TURNPIKE_INSTRUCTION_ROOT: this.#instructions,
        TURNPIKE_PROJECT_ROOT: this.projectRoot,
        TURNPIKE_PROVIDER_BASE_URL: url,
        TURNPIKE_EGRESS_ALLOW: url,
        ANTHROPIC_API_KEY: 'sk-ant-test-key',
        // No attempt follows another before the kill.
        TURNPIKE_LEASE_MS: '120000',
      }),
    );
  }

  async #kill(): Promise<void> {
    for (const server of this.#servers.splice(0)) await server.kill('SIGKILL');
  }
}
