import { stampDigits, toStamp } from '../stamp.mjs';

/**
 * @typedef {{deltas: number, gapMs: number, piece: number, steps: number}} Order the size and pace of a reply; `piece`: the
 *   deltas of a write where there is no gap; `steps`: the calls of a tool before the reply.
 */

const MAX_DELTAS = 1_000_000;
const mark = '[[tokens=';
const order =
  /\[\[tokens=(\d{1,7})(?: gap=(\d{1,7}))?(?: piece=(\d{1,7}))?(?: steps=(\d{1,4}))?\]\]/y;

/**
 * The last directive of a request's body, found in its text: parsing the whole history would cost more than
 * the reply.
 *
 * @param {string} body
 * @returns {Order | undefined} undefined for none or a malformed one.
 */
export function parseOrder(body) {
  order.lastIndex = Math.max(0, body.lastIndexOf(mark));
  const match = order.exec(body);
  const deltas = Number(match?.[1] ?? 0);
  if (match === null || deltas < 1 || deltas > MAX_DELTAS) return undefined;
  return {
    deltas,
    gapMs: Number(match[2] ?? 0),
    piece: Number(match[3] ?? deltas),
    steps: Number(match[4] ?? 0),
  };
}

/**
 * The number of the step that a request is for, where its turn is to call a tool `steps` times.
 *
 * @param {string} body @param {Order} order
 * @returns {number | undefined} undefined where the turn has called it as often.
 */
export function findStep(body, { steps }) {
  if (steps === 0) return undefined;
  const step = body.split('"type":"tool_result"').length;
  return step <= steps ? step : undefined;
}

/** @param {object & {type: string}} event */
const frame = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const start = frame({
  type: 'message_start',
  message: {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 20,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    },
  },
});

/** @param {object} block */
const openBlock = (block) => frame({ type: 'content_block_start', index: 0, content_block: block });

/** The events before the first delta. */
export const opening = start + openBlock({ type: 'text', text: '' });

/** The events after the last delta. @param {number} deltas @param {string} [stopReason] */
export function closing(deltas, stopReason = 'end_turn') {
  return (
    frame({ type: 'content_block_stop', index: 0 }) +
    frame({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: deltas },
    }) +
    frame({ type: 'message_stop' })
  );
}

/** A reply that calls `glob`, with another input at each step. @param {number} step */
export function renderCall(step) {
  const input = JSON.stringify({ pattern: `*.none${step}` });
  return (
    start +
    openBlock({ type: 'tool_use', id: `toolu_${step}`, name: 'glob', input: {} }) +
    frame({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: input },
    }) +
    closing(10, 'tool_use')
  );
}

const hole = '0'.repeat(stampDigits);
const [beforeText = '', afterText = ''] = frame({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: '|' },
}).split('|');

/** The text of a delta: its index and the time at which it was sent. @param {number} index @param {number} micros */
export function renderText(index, micros) {
  return `${index}.${toStamp(micros)};`;
}

/** @param {number} index @param {number} micros */
export function renderDelta(index, micros) {
  return `${beforeText}${renderText(index, micros)}${afterText}`;
}

/** @type {Map<number, string[]>} */
const templates = new Map();

/** A whole reply with a single stamp, for a stream without gaps. @param {number} deltas @param {number} micros */
export function renderWhole(deltas, micros) {
  let pieces = templates.get(deltas);
  if (pieces === undefined) {
    const text = Array.from(
      { length: deltas },
      (_, index) => `${beforeText}${index}.${hole};${afterText}`,
    ).join('');
    pieces = (opening + text + closing(deltas)).split(hole);
    templates.set(deltas, pieces);
  }
  return pieces.join(toStamp(micros));
}
