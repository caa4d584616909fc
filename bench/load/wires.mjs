/**
 * @typedef {object} Wire the requests and events of a kind of target.
 * @property {string} path
 * @property {boolean} sessions whether a turn needs a session.
 * @property {(messages: Message[], sessionId: string) => object} body of a turn that ends with the last message.
 * @property {(event: Event) => boolean} isDelta
 * @property {(event: Event) => boolean} isEnd of a turn that went well.
 *
 * @typedef {{event?: string | undefined, data: string}} Event
 * @typedef {{role: 'user' | 'assistant', content: string}} Message
 */

/** @type {Record<string, Wire>} */
export const wires = {
  direct: {
    path: '/v1/messages',
    sessions: false,
    body: (messages) => ({
      model: 'bench',
      max_tokens: 4_096,
      stream: true,
      messages,
    }),
    isDelta: ({ event }) => event === 'content_block_delta',
    isEnd: ({ event }) => event === 'message_stop',
  },
  proxy: {
    path: '/turn',
    sessions: false,
    body: (messages) => ({ messages }),
    isDelta: ({ data }) => data.startsWith('{"type":"delta"'),
    isEnd: ({ data }) => data.startsWith('{"type":"end"'),
  },
  turnpike: {
    path: '/api/harness/turn',
    sessions: true,
    body: (messages, sessionId) => ({ sessionId, message: messages.at(-1)?.content }),
    isDelta: ({ event }) => event === 'chat:delta',
    isEnd: ({ event, data }) => event === 'process:exit' && data === '{"exitCode":0}',
  },
};
