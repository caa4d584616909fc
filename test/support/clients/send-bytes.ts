import net from 'node:net';

export interface RawAnswers {
  /** The status of each answer on the connection, in order. */
  statuses: number[];
  /** The head of the first answer. */
  head: string;
  /** All bytes that came, as text. */
  text: string;
}

/** The timeout ends a server that neither answers nor closes: a fault the test must see. */
const TIMEOUT_MS = 60_000;

/** Sends bytes as they are over a socket, and reads what comes until the other end closes. */
export function sendBytes(url: string, bytes: string): Promise<RawAnswers> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    let text = '';
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`No end came after: ${text}`)));
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
    socket.once('error', reject).once('close', () => resolve(parseAnswers(text)));
    socket.write(bytes, 'latin1');
  });
}

function parseAnswers(text: string): RawAnswers {
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { statuses, head: text.split('\r\n\r\n')[0] ?? '', text };
}

/** A request with a Host of the server's own, unless the lines bring one. The connection closes after it. */
export function rawRequest(
  lines: readonly string[],
  { target = '/agents', method = 'GET', body = '', host = 'Host: 127.0.0.1' } = {},
): string {
  const head = [`${method} ${target} HTTP/1.1`, host, 'Connection: close', ...lines];
  return `${head.filter((line) => line !== '').join('\r\n')}\r\n\r\n${body}`;
}
