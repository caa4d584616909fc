import type { IncomingHttpHeaders } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface ProxyCuts {
  /** Requests whose connections are cut; later ones are passed on whole. */
  cuts: number;
  /** Resolves when a connection may be cut. Absent: as soon as the answer begins, of which nothing is passed on. */
  until?: () => Promise<unknown>;
}

export interface CuttingProxy {
  url: string;
  /** Headers of the requests, in order. */
  requests: IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** A TCP proxy before a server that cuts connections before anything of the answer is passed on, at both ends at once. */
export async function startCuttingProxy(
  target: string,
  { cuts, until }: ProxyCuts,
): Promise<CuttingProxy> {
  const requests: IncomingHttpHeaders[] = [];
  const open = new Set<Socket>();
  const { port } = new URL(target);
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    const close = () => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) {
      open.add(socket);
      // A reset is one of the ways in which a connection ends.
      socket.on('error', close).on('close', () => {
        open.delete(socket);
        close();
      });
    }
    let isCut = false;
    client.on('data', (bytes: Buffer) => {
      upstream.write(bytes);
      const headers = headersIn(bytes);
      if (headers === undefined) return;
      requests.push(headers);
      if (requests.length > cuts) return;
      isCut = true;
      void until?.().finally(close);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (!isCut) client.write(bytes);
      else if (until === undefined) close();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

/** The headers of a POST that begins with these bytes; undefined: none does. */
function headersIn(bytes: Buffer): IncomingHttpHeaders | undefined {
  const [head = ''] = bytes.toString('latin1').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  if (!first.startsWith('POST ')) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name.toLowerCase(), value.join(': ')];
    }),
  );
}
