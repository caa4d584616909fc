/**
 * @typedef {object} Wire the requests and events of a kind of target.
 * @property {string} path
 * @property {boolean} sessions whether a turn needs a session.
 * @property {(message: string, sessionId: string) => object} body
 * @property {(event: Event) => boolean} isDelta
 * @property {(event: Event) => boolean} isEnd of a turn that went well.
 *
 * @typedef {{event?: string | undefined, data: string}} Event
 */

/** @type {Record<string, Wire>} */
export const wires = {
  direct: {
    path: '/v1/messages',
    sessions: false,
    body: (message) => ({
      model: 'bench',
      max_tokens: 4_096,
      stream: true,
      messages: [{ role: 'user', content: message }],
    }),
    isDelta: ({ event }) => event === 'content_block_delta',
    isEnd: ({ event }) => event === 'message_stop',
  },
  proxy: {
    path: '/turn',
    sessions: false,
    body: (message) => ({ message }),
    isDelta: ({ data }) => data.startsWith('{"type":"delta"'),
    isEnd: ({ data }) => data.startsWith('{"type":"end"'),
  },
  turnpike: {
    path: '/api/harness/turn',
    sessions: true,
    body: (message, sessionId) => ({ sessionId, message }),
    isDelta: ({ event }) => event === 'chat:delta',
    isEnd: ({ event, data }) => event === 'process:exit' && data === '{"exitCode":0}',
  },
};
