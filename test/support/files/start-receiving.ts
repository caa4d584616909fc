import { TypedError } from '../../../src/errors/typed-error.js';
import { Recorder } from '../recorder.js';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export type Outcome<T> = { received: T } | { error: unknown };

/** A server that receives requests by one handler, and answers as ours does. */
export class ReceivingServer<T> {
  readonly outcomes = new Recorder<Outcome<T>>();
  readonly #server: Server;

  private constructor(receive: (request: IncomingMessage) => Promise<T>) {
    this.#server = createServer(
      (request, response) => void this.#answer(request, response, receive),
    );
  }

  static async start<T>(
    receive: (request: IncomingMessage) => Promise<T>,
  ): Promise<ReceivingServer<T>> {
    const started = new ReceivingServer(receive);
    started.#server.listen(0, '127.0.0.1');
    await once(started.#server, 'listening');
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** The last outcome, as a received request. */
  get received(): T {
    const last = this.outcomes.items.at(-1);
    if (last === undefined) throw new Error('Nothing was received');
    if ('error' in last) throw last.error;
    return last.received;
  }

  /** A client that writes bytes of its own. */
  async connect(head: readonly string[]): Promise<RawClient> {
    const socket = connect(this.#port, '127.0.0.1');
    const client = new RawClient(socket);
    await once(socket, 'connect');
    await client.send(['POST / HTTP/1.1', 'Host: a', ...head, '', ''].join('\r\n'));
    return client;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    receive: (request: IncomingMessage) => Promise<T>,
  ): Promise<void> {
    try {
      const received = await receive(request);
      response.writeHead(200).end('{}');
      this.outcomes.take({ received });
    } catch (error) {
      const { status, headers, type, message, details } =
        error instanceof TypedError
          ? error
          : { status: 500, headers: {}, type: 'MASKED', message: '', details: null };
      response.writeHead(status, headers).end(JSON.stringify({ type, message, details }));
      this.outcomes.take({ error });
    }
  }
}

/** Sends bytes on demand and keeps what comes; a broken connection is an end like any other. */
export class RawClient {
  #answer = '';
  readonly closed: Promise<void>;
  readonly #chunks = new Recorder<string>();

  constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.#answer += text;
      this.#chunks.take(text);
    });
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** Resolves when the bytes are on their way. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(bytes, () => resolve());
    });
  }

  /** Sends the same bytes up to `times` times, whatever the answers. */
  async sendAll(bytes: Uint8Array, times: number): Promise<void> {
    for (let count = 0; count < times && !this.socket.destroyed; count += 1) await this.send(bytes);
  }

  /** The bytes that came, once there are any. */
  async answer(): Promise<string> {
    await this.#chunks.count(1);
    return this.#answer;
  }
}
