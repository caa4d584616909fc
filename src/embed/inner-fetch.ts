import {
  Agent,
  type ClientRequestArgs,
  createServer,
  request as openRequest,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { duplexPair, Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface InnerFetch {
  fetch: typeof fetch;
  /** Answers a request that somebody else has received, and may have read. */
  answer(request: Request): Promise<Response>;
  /** Ends the requests that are open. */
  close(): void;
}

/**
 * A `fetch` whose requests go to a handler of this process: HTTP over pairs of streams in memory. Streaming,
 * back-pressure and broken connections are those of a network, and no port is opened.
 */
export function openInnerFetch(handler: RequestListener): InnerFetch {
  const read = new WeakSet<Duplex>();
  const server = createServer((request, response) => {
    if (!read.has(request.socket)) return handler(request, response);
    // The handler finds a body of which something was read, and refuses it by the name of that fault.
    request.once('data', () => handler(request, response));
  });
  const agent = new InnerAgent((connection) => server.emit('connection', connection), read);
  return {
    fetch: (input, init) => send(new Request(input, withDuplex(init)), agent),
    answer: (request) => send(request, agent),
    close: () => {
      agent.destroy();
      server.closeAllConnections();
    },
  };
}

interface InnerOptions extends ClientRequestArgs {
  isRead?: boolean;
}

/** Headers of a connection, which are not those of the next one. */
const ofConnection = new Set([
  'connection',
  'expect',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Connects requests with a server that does not listen. */
class InnerAgent extends Agent {
  constructor(
    private readonly accept: (connection: Duplex) => void,
    /** Connections of requests whose bodies were read by somebody else. */
    private readonly read: WeakSet<Duplex>,
  ) {
    super({ keepAlive: false });
  }

  override createConnection({ isRead }: InnerOptions): Duplex {
    const [ours, theirs] = duplexPair();
    if (isRead === true) this.read.add(theirs);
    // A pair does not close together by itself.
    ours.once('close', () => theirs.destroy());
    theirs.once('close', () => ours.destroy());
    this.accept(theirs);
    return ours;
  }
}

/** A stream as a body needs `duplex`, which the types do not know. */
function withDuplex(init: RequestInit | undefined): RequestInit | undefined {
  return init?.body instanceof ReadableStream ? Object.assign({ duplex: 'half' }, init) : init;
}

async function send(asked: Request, agent: Agent): Promise<Response> {
  const { method, headers, signal, body, bodyUsed: isRead } = asked;
  const { pathname, search, host } = new URL(asked.url);
  const given = Object.fromEntries([...headers].filter(([name]) => !ofConnection.has(name)));
  if (isRead) delete given['content-length'];
  const options: InnerOptions = {
    agent,
    method,
    path: pathname + search,
    headers: { host, ...given },
    signal,
    isRead,
  };
  const outgoing = openRequest(options);
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  if (isRead) outgoing.end('{}');
  else if (body === null) outgoing.end();
  else {
    // An answer may come before the whole body was sent: then what is left of it does not matter.
    pipeline(Readable.fromWeb(body), outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  }
  return toResponse(await answered);
}

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode = 502, headers } = incoming;
  const given = Object.entries(headers)
    .filter(([name]) => !ofConnection.has(name))
    .flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
  const isEmpty = statusCode === 204 || statusCode === 304;
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
  return new Response(body, { status: statusCode, headers: given });
}
