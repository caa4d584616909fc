import type { Client } from './client.js';
import { expectWhole } from './expect-whole.js';
import type { ReadFrame, StreamReader } from './read-stream.js';

/** A turn as one reader sees it that comes back after each crash. */
export class FollowedTurn {
  readonly turnId: string;
  #earlier: ReadFrame[] = [];
  #reader: StreamReader;

  constructor(
    readonly sessionId: string,
    reader: StreamReader,
  ) {
    this.#reader = reader;
    this.turnId = reader.header('x-turn-id');
  }

  get frames(): ReadFrame[] {
    return [...this.#earlier, ...this.#reader.frames];
  }

  /** The first frame of a name, or that matches, from this process or an earlier one. */
  async until(matches: string | ((frame: ReadFrame) => boolean)): Promise<ReadFrame> {
    const test = typeof matches === 'string' ? (f: ReadFrame) => f.event === matches : matches;
    return this.#earlier.find(test) ?? this.#reader.until(test);
  }

  named(event: string): ReadFrame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  /** Follows the turn from its last frame on, at a further process. */
  async comeBack(client: Client): Promise<void> {
    this.#earlier = this.frames;
    this.#reader = await client.follow(this.turnId, this.#earlier.at(-1)?.id);
  }

  /** @returns the data of the last frame; the frames are expected to be whole. */
  async exit(): Promise<Record<string, unknown> | undefined> {
    await this.#reader.all();
    expectWhole(this.frames);
    return this.frames.at(-1)?.data;
  }
}
