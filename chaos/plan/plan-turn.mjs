import { planMemory } from './plan-memory.mjs';
import { planObject } from './plan-object.mjs';
import { seededRandom } from './random.mjs';
import { nameOf, withName } from './turn-names.mjs';

/** @typedef {import('../types.js').TurnPlan} TurnPlan */

/** The file in a project's folder to which each command writes a line with its marker. */
export const MARKS_FILE = 'ran.txt';

/**
 * Plans what the client does with turn `index` of a run, by the seed alone.
 *
 * @param {number} seed
 * @param {number} index
 * @param {number} [client] the number of the client, whose own file of a memory the turn may write
 * @returns {TurnPlan}
 */
export function planTurn(seed, index, client = 0) {
  const random = seededRandom(seed, `turn ${index}`);
  const kind = random.pick(kinds);
  const name = nameOf(index);
  const { message, ...asks } = requestOf(kind, { name, client }, random);
  const onDisconnect = random.chance(0.3) ? 'cancel' : 'continue';
  const cuts = random.chance(0.45) ? random.whole(1, 3) : 0;
  return {
    index,
    kind,
    message: withName(name, message),
    ...asks,
    onDisconnect,
    cutsAfter: Array.from({ length: cuts }, () => random.whole(1, 30)).sort((a, b) => a - b),
    joinsAfter: random.chance(0.2) ? random.whole(1, 15) : undefined,
    interruptAfter: random.chance(0.1) ? random.whole(1, 12) : undefined,
    abandonAfter:
      onDisconnect === 'cancel' && random.chance(0.15) ? random.whole(2, 10) : undefined,
    repeatPost: random.chance(0.25) ? random.pick(['at-once', 'later']) : 'never',
    pauseMs: random.chance(0.1) ? random.whole(300, 2_500) : 0,
    mayFail: kind === 'failing' || (kind === 'object' && asks.object?.expected === undefined),
  };
}

/** The kinds of turns, by their frequency. @type {readonly TurnPlan['kind'][]} */
const kinds = [
  'text',
  'text',
  'tool',
  'tool',
  'loop',
  'loop',
  'mixed',
  'mixed',
  'read',
  'failing',
  'object',
  'object',
  'memory',
  'memory',
];

/**
 * @param {TurnPlan['kind']} kind
 * @param {{ name: string, client: number }} turn
 * @param {import('./random.mjs').Random} random
 * @returns {Pick<TurnPlan, 'message' | 'opts' | 'object'>}
 */
function requestOf(kind, turn, random) {
  if (kind === 'object') return planObject(turn.name, random);
  if (kind === 'memory') return planMemory(turn, random);
  return { message: messageOf(kind, turn.name, random) };
}

/**
 * @param {Exclude<TurnPlan['kind'], 'object' | 'memory'>} kind
 * @param {string} name makes a turn's markers unique
 * @param {import('./random.mjs').Random} random
 */
function messageOf(kind, name, random) {
  const text = (/** @type {number} */ most) =>
    `[[tokens=${random.whole(10, most)} gap=${random.whole(2, 40)} first=${random.whole(0, 150)}]]`;
  switch (kind) {
    case 'text':
      return random.chance(0.3) ? `[[think=${random.whole(2, 20)}]] ${text(150)}` : text(150);
    case 'tool':
      return `[[tool=bash ${command(`${name}-1`, random)}]]`;
    case 'loop':
      return `[[loop=${random.whole(2, 6)} tool=bash ${command(`${name}-$i`, random)}]]`;
    case 'mixed':
      return `${text(25)} [[loop=${random.whole(2, 4)} tool=bash ${command(`${name}-$i`, random)}]]`;
    case 'read':
      return `${text(20)} [[loop=${random.whole(1, 3)} tool=glob {"pattern":"*"}]]`;
    case 'failing':
      return `${text(40)} [[fail=${random.pick([400, 529])} after=${random.whole(1, 9)}]]`;
    default:
      throw new Error(`Unknown kind of turn: ${String(kind)}`);
  }
}

/** The answers of the tool hook, by their frequency: `broken` is none that it understands. */
const hookWords = /** @type {const} */ (['allow', 'allow', 'allow', 'allow', 'deny', 'broken']);

/**
 * A command with a countable side effect, which takes long enough to be killed, and the tool hook's answer to it.
 *
 * @param {string} marker
 * @param {import('./random.mjs').Random} random
 */
function command(marker, random) {
  const append = `echo ${marker} >> ${MARKS_FILE}`;
  const sleep = `sleep ${random.pick(['0.05', '0.2', '0.6', '1.5'])}`;
  const shape = random.pick([append, `${append}; ${sleep}`, `${sleep}; ${append}`]);
  return JSON.stringify({ command: `${shape} # hook: ${random.pick(hookWords)}` });
}

/**
 * The answer of the tool hook to a call.
 *
 * @param {Record<string, unknown>} input
 * @returns {'allow' | 'deny' | 'broken'}
 */
export function hookAnswerOf(input) {
  const word = / # hook: (\w+)$/.exec(String(input['command']))?.[1];
  return hookWords.find((one) => one === word) ?? 'allow';
}

/**
 * The marker that a command writes; undefined for other commands.
 *
 * @param {string} text
 */
export function markerOf(text) {
  return /echo (\S+) >> ran\.txt/.exec(text)?.[1];
}
