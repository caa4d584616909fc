import {
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { serveHttp } from '../serve-http.js';

export interface GatewayFaults {
  /** Turns and messages that are answered 503 first, as by a gateway whose server starts again. Default: 0. */
  refusals?: number;
  /** Frames of the first stream, of the second, …, after which its connection is cut. Default: none is. */
  cuts?: readonly number[];
}

export interface FaultyGateway {
  url: string;
  /** Requests, in order. */
  requests: { method: string; path: string; headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** A gateway before a server, which has the faults of real ones, each where a test wants it. */
export async function startFaultyGateway(
  target: string,
  { refusals = 0, cuts = [] }: GatewayFaults = {},
): Promise<FaultyGateway> {
  const requests: FaultyGateway['requests'] = [];
  const cutsLeft = [...cuts];
  let refusalsLeft = refusals;
  const { url, close } = await serveHttp((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    requests.push({ method, path, headers });
    const isMessage = path === '/api/harness/turn' || path === '/api/chat';
    if (isMessage && method === 'POST' && refusalsLeft > 0) {
      refusalsLeft -= 1;
      incoming.resume();
      outgoing.writeHead(503, { 'retry-after': '0', 'content-type': 'text/html' }).end('<h1>503');
      return;
    }
    const upstream = request(target + path, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
      const cut = isStream ? cutsLeft.shift() : undefined;
      if (cut === undefined) answer.pipe(outgoing);
      else passFrames(answer, outgoing, cut);
    });
    upstream.once('error', () => outgoing.destroy());
    outgoing.once('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  return { url, requests, close };
}

/** Passes some frames on, then ends the connection in the middle of the next; a reset could lose those passed on. */
function passFrames(answer: IncomingMessage, outgoing: ServerResponse, most: number): void {
  let text = '';
  let isCut = false;
  answer.setEncoding('utf8').on('data', (piece: string) => {
    if (isCut) return;
    const before = text.length;
    text += piece;
    const ends = [...text.matchAll(/^id: .*\n.*\n\n/gm)].map((end) => end.index + end[0].length);
    const end = ends[most - 1];
    isCut = end !== undefined;
    if (end === undefined) outgoing.write(piece);
    else outgoing.write(`${text.slice(before, end)}event: chat:d`, () => outgoing.socket?.end());
  });
  answer.once('end', () => outgoing.end());
}
