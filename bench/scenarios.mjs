/**
 * @typedef {object} Scenario
 * @property {string} about
 * @property {number} streams open at a time.
 * @property {number} deltas of a turn.
 * @property {number} gapMs between two deltas; 0: as fast as it goes.
 * @property {number} [piece] deltas in one write of the model, without a gap; absent: the whole reply.
 * @property {number} rampMs over which the streams start.
 * @property {number} turns in one round.
 * @property {number} [turnsOfSession] that a session goes on for; absent: one.
 * @property {number} [messageChars] of a user message; absent: as few as there need to be.
 * @property {boolean} [makesSessions] whether each turn is in a session that is made for it, while the clock runs.
 * @property {number} directFactor how many times more turns the direct target gets, which would
 *   otherwise end before it can be measured.
 */

/** A conversation's turn, without a gap; also that of the check `grow`. */
export const chatTurn = { deltas: 50, gapMs: 0, messageChars: 200 };

/** @param {boolean} quick @returns {Record<string, Scenario>} */
export function scenariosFor(quick) {
  const paced = { rampMs: 1_000, directFactor: 1 };
  const rapid = { streams: 100, deltas: 50, gapMs: 0, rampMs: 0, directFactor: 6 };
  const turnsOfChat = quick ? 20 : 40;
  const turnsOfPacedChat = quick ? 10 : 40;
  return {
    p50: {
      about: '50 streams, 100 deltas, 20 ms',
      streams: 50,
      deltas: 100,
      gapMs: 20,
      turns: 50,
      ...paced,
    },
    p200: {
      about: '200 streams, 60 deltas, 50 ms',
      streams: 200,
      deltas: 60,
      gapMs: 50,
      turns: 200,
      ...paced,
    },
    p500: {
      about: '500 streams, 60 deltas, 50 ms',
      streams: 500,
      deltas: 60,
      gapMs: 50,
      turns: 500,
      ...paced,
    },
    long: {
      about: `200 streams, ${quick ? 200 : 400} deltas, 50 ms`,
      streams: 200,
      deltas: quick ? 200 : 400,
      gapMs: 50,
      turns: 200,
      ...paced,
    },
    t100: {
      about: '100 streams at a time, 50 deltas, no gap, the reply in one piece',
      turns: quick ? 1_500 : 4_000,
      ...rapid,
    },
    't100-pieces': {
      about: '100 streams at a time, 50 deltas, no gap, the reply in pieces of 16 deltas',
      piece: 16,
      turns: quick ? 1_500 : 4_000,
      ...rapid,
    },
    new: {
      about: '100 streams at a time, each turn in a session made for it; 50 deltas, no gap',
      makesSessions: true,
      turns: quick ? 1_500 : 4_000,
      ...rapid,
    },
    chat: {
      about: `100 sessions at a time, ${turnsOfChat} turns each, 50 deltas, no gap`,
      turns: 100 * turnsOfChat,
      turnsOfSession: turnsOfChat,
      ...rapid,
      ...chatTurn,
      directFactor: 1,
    },
    'chat-paced': {
      about: `100 sessions at a time, ${turnsOfPacedChat} turns each, 50 deltas, 20 ms`,
      streams: 100,
      turns: 100 * turnsOfPacedChat,
      turnsOfSession: turnsOfPacedChat,
      ...chatTurn,
      gapMs: 20,
      ...paced,
    },
    one: {
      about: 'one stream, turn after turn, 10 deltas, 2 ms',
      streams: 1,
      deltas: 10,
      gapMs: 2,
      rampMs: 0,
      turns: quick ? 60 : 150,
      directFactor: 1,
    },
  };
}

/** The scenario that every target runs first, so that no round pays for compiling code. */
export const warmUp = {
  about: 'warm-up',
  streams: 20,
  deltas: 30,
  gapMs: 5,
  rampMs: 100,
  turns: 120,
  directFactor: 1,
};
