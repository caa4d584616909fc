import type { ServerResponse } from 'node:http';
import type { Stage } from '../reply/play-reply.js';
import type { WireEvent, WireMessage } from '../reply/stream-types.js';
import { errorEnvelope, rehearsedFailure } from './wire-error.js';
import { sendError, sendJson } from './send-json.js';

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/** A stage that streams server-sent events; each batch is one write. */
export function openStream(response: ServerResponse, requestId: string): Stage {
  response.writeHead(200, { ...streamHeaders, 'request-id': requestId });
  return {
    send: (events) => response.write(events.map(frameEvent).join('')),
    get isFull() {
      return response.writableNeedDrain;
    },
    whenDrained: (callback) => void response.once('drain', callback),
    end: (breakOff) => {
      const { socket } = response;
      if (!breakOff) {
        response.end();
      } else if (breakOff.how === 'error') {
        const error = errorEnvelope(rehearsedFailure(breakOff.failure), requestId);
        response.end(frameEvent(error), () => socket?.end());
      } else {
        // An empty write ends after all earlier ones: only then is the socket destroyed.
        socket?.write('', () => socket.destroy());
      }
    },
  };
}

/** A stage that answers with one JSON message, after all pauses of the reply. */
export function openMessageStage(
  response: ServerResponse,
  requestId: string,
  message: WireMessage,
): Stage {
  return {
    send: () => true,
    isFull: false,
    whenDrained: (callback) => callback(),
    end: (breakOff) => {
      if (!breakOff) sendJson(response, requestId, { status: 200, body: message });
      else if (breakOff.how === 'error') {
        sendError(response, requestId, rehearsedFailure(breakOff.failure));
      } else response.destroy();
    },
  };
}

/** An event as the API writes it: name, JSON, empty line. */
export function frameEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
