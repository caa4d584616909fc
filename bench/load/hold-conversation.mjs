import { renderText } from '../model/render-reply.mjs';

/**
 * A conversation as its client holds it. On a wire without sessions the client sends the whole of it with
 * every turn, as `useChat` does; on one with sessions it sends the new message alone.
 *
 * @param {{wire: import('./wires.mjs').Wire, sessionId: string,
 *   turn: {deltas: number, gapMs: number, piece?: number, messageChars?: number}}} options
 */
export function holdConversation({ wire, sessionId, turn }) {
  const { deltas, gapMs, piece = 0, messageChars = 0 } = turn;
  const pace = `${gapMs > 0 ? ` gap=${gapMs}` : ''}${piece > 0 ? ` piece=${piece}` : ''}`;
  const order = `[[tokens=${deltas}${pace}]]`;
  /** @type {import('./wires.mjs').Message[]} */
  let messages = [];
  let asked = 0;
  return {
    /** @returns {string} the body of the next turn. */
    ask() {
      asked += 1;
      const words = `Question ${asked}. `.padEnd(messageChars - order.length, 'And so on. ');
      const content = messageChars > 0 ? words + order : order;
      messages = [...(wire.sessions ? [] : messages), { role: 'user', content }];
      return JSON.stringify(wire.body(messages, sessionId));
    },
    /** @param {import('./read-turn.mjs').TurnRead} read the reply to the last question. */
    hear({ tally }) {
      // Made again from the tally: to parse every delta would cost more than to read it.
      const content = [...tally.sentMicros].map((sent, index) => renderText(index, sent)).join('');
      messages.push({ role: 'assistant', content });
    },
  };
}
