import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { serveHttp } from '../serve-http.js';

export interface Received {
  headers: IncomingHttpHeaders;
  /** The body to the letter. */
  text: string;
  body: { id: string; type: string; timestamp: string; data: Record<string, unknown> };
}

export type Answering = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  /** `http://127.0.0.1:port/hooks`. */
  url: string;
  /** Requests in the order they came. */
  received: Received[];
  /** How requests are answered from now on. Default: 204. */
  answer: Answering;
  /** Connections so far. */
  connections(): number;
  /** Requests of a turn. */
  ofTurn(turnId: string | null): Received[];
  close(): Promise<void>;
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Answering =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** A receiver of webhooks, on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers } = request;
    const body = await text(request);
    const one = { headers, text: body, body: JSON.parse(body) as Received['body'] };
    received.push(one);
    receiver.answer(response, one);
  };
  const { url, server, close } = await serveHttp(take);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const receiver: Receiver = {
    url: `${url}/hooks`,
    received,
    answer: answerWith(204),
    connections: () => connections,
    ofTurn: (turnId) => received.filter(({ body }) => body.data['turnId'] === turnId),
    close,
  };
  return receiver;
}

/** Verifies a request as receivers do. @throws WebhookVerificationError. */
export function verify({ headers, text: body }: Received, secret: string): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}
