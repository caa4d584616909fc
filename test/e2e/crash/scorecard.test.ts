import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MessagesRequest } from '../../../rehearsal/request-types.js';
import type { ReadFrame } from '../../support/clients/read-stream.js';
import { raceForQuestions } from '../../support/crash/raced-questions.js';
import { ResumedTurns, type ResumedTurn } from '../../support/crash/resumed-turns.js';
import { useShared } from '../../support/suite.js';

/** The back end of this run of the suite: a jest project each, see jest.config.mjs. */
declare const BACK_END: 'embedded' | 'distributed';

/** Questions by each wire; the processes that answer each. */
const ROUNDS = 4;
const PROCESSES = 3;

/** Cursors of a reader's frames, in the order of the log. */
const cursorOf = ({ id }: ReadFrame): number => {
  const [attempt = 0, seq = 0, part = 0] = (id.split(':')[1] ?? '').split('.').map(Number);
  return attempt * 1e12 + seq * 1e3 + part;
};

/** Whether frames are in order, each once, with one end as the last. */
function isWhole(frames: readonly ReadFrame[]): boolean {
  const ends = frames.filter(({ event }) => event === 'process:exit');
  const isOrdered = frames.every(
    (frame, index) => index === 0 || cursorOf(frame) > cursorOf(frames[index - 1] ?? frame),
  );
  return isOrdered && ends.length === 1 && frames.at(-1)?.event === 'process:exit';
}

/**
 * Whether a reader that was there at the kill has what one has who comes later: each frame once, to one end. Only the
 * beginning of a reply that the kill broke off is in the first alone; the next frame of the reply says that it is void.
 */
function continues({ seen, log }: ResumedTurn): boolean {
  if (!isWhole(log)) return false;
  if (seen === undefined) return true;
  const later = new Map(log.map((frame) => [frame.id, JSON.stringify(frame)]));
  const events = seen.map(({ event }) => event);
  const own = seen.flatMap(({ id }, index) => (later.has(id) ? [] : [index]));
  const shared = seen.filter(({ id }) => later.has(id));
  return (
    isWhole(seen) &&
    own.every((index) => {
      const begun = events.lastIndexOf('step:start', index);
      const next = events.slice(index).find((event) => /^step:(start|discard|end)$/.test(event));
      return own.includes(begun) && (begun === index || next === 'step:discard');
    }) &&
    shared.every((frame) => later.get(frame.id) === JSON.stringify(frame)) &&
    shared.length === log.length
  );
}

/** Whether the command ran once, or at most once where the turn says that nobody knows. */
function ranOnce({ runs, log }: ResumedTurn): boolean {
  const [result, ...more] = log.filter(({ event }) => event === 'tool:result');
  if (result === undefined || more.length > 0) return false;
  return result.data['status'] === 'unknown' ? runs <= 1 : runs === 1;
}

/** What the provider reads of a request: marks for its cache are no content. */
const contentOf = ({ system, tools, messages }: MessagesRequest): string =>
  withoutIds(JSON.stringify({ system, tools, messages }, contentOnly));
const contentOnly = (key: string, value: unknown): unknown =>
  key === 'cache_control' ? undefined : value;

/** Random ids by the order in which they come. */
function withoutIds(text: string): string {
  const known = new Map<string, string>();
  return text.replaceAll(/\b[a-z]+_[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
    const name = known.get(id) ?? `id-${known.size + 1}`;
    known.set(id, name);
    return name;
  });
}

/** Whether each request of a turn begins with the one before it, all of which the provider took. */
function isPrefixed({ requests, outcome }: ResumedTurn): boolean {
  const texts = requests.map(({ messages }) =>
    messages.map((message) => JSON.stringify(message, contentOnly)),
  );
  const ended = (outcome['turn'] as { status: string }).status;
  return (
    texts.every((messages, index) => {
      const before = texts[index - 1] ?? [];
      return before.every((message, place) => message === messages[place]);
    }) && ended === 'completed'
  );
}

/** Fields of an outcome that are times, costs of the provider's cache or the numbers of attempts. */
const measured = /^(usage|attempt|\w+At|durationMs|evaluationMs)$/;
const resultOf = ({ outcome }: ResumedTurn): string =>
  withoutIds(JSON.stringify(outcome, (key, value: unknown) => (measured.test(key) ? null : value)));

describe(`resume means resume: ${BACK_END}`, () => {
  const turns = useShared(() => ResumedTurns.open());
  let resumed: ResumedTurn[] = [];
  const rows: string[] = [];
  beforeAll(async () => {
    resumed = await turns.resume('store');
  });
  afterAll(() => {
    process.stderr.write(`\n${BACK_END}\n${rows.join('\n')}\n`);
  });

  /** Notes how many hold, and expects all of them to. */
  function score(property: string, held: readonly boolean[], places: readonly string[]): void {
    const count = held.filter(Boolean).length;
    rows.push(`| ${property} | ${count} of ${held.length} |`);
    expect(places.filter((_place, index) => held[index] !== true)).toEqual([]);
    expect(held.length).toBeGreaterThan(0);
  }
  const scoreTurns = (property: string, holds: (turn: ResumedTurn) => boolean): void =>
    score(property, resumed.map(holds), turns.points);

  it('continues each stream where its reader was', () => {
    scoreTurns('prefix continuation', continues);
  });

  it('runs each effect once', () => {
    scoreTurns('effects exactly once', ranOnce);
  });

  it('has a valid conversation at each point', () => {
    scoreTurns('valid checkpoints', isPrefixed);
  });

  it('forks the same before and after another kill', async () => {
    const forkAll = async (): Promise<string[]> => {
      const requests = await turns.requestsDuring(async () => {
        for (const { sessionId, turnId } of resumed) {
          const { client } = turns.server;
          const at = { turnId, position: 'after' };
          const { body } = await client.post(`/api/harness/sessions/${sessionId}/fork`, at);
          const { sessionId: fork } = body['session'] as { sessionId: string };
          await (await client.turn(fork, 'Next')).all();
        }
      });
      return requests.map(contentOf);
    };
    const before = await forkAll();
    await turns.restart();
    const after = await forkAll();
    expect(before).toHaveLength(resumed.length);
    score(
      'fork determinism',
      before.map((text, index) => text === after[index]),
      turns.points,
    );
  });

  it('takes one answer of many processes over three wires', async () => {
    const urls = await turns.join(PROCESSES);
    const raced = await raceForQuestions(urls, turns.projectRoot, ROUNDS);
    const once = raced.map(({ taken, told, runs, isWritten }) => {
      const [decision] = told;
      const agree = taken.every((one) => one === decision);
      const isYes = decision === 'approve';
      return told.length === 1 && agree && runs === (isYes ? 1 : 0) && isWritten === isYes;
    });
    score(
      'an answer consumed once',
      once,
      raced.map((one) => JSON.stringify(one)),
    );
  });

  it('comes to the same end from a copy of what was left', async () => {
    const again = await turns.resume('copy');
    const same = resumed.map((turn, index) => {
      const other = again[index];
      return (
        other !== undefined &&
        resultOf(other) === resultOf(turn) &&
        other.runsSince === turn.runsSince
      );
    });
    score('deterministic recovery', same, turns.points);
  });
});
