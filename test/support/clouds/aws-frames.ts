import { crc32 } from 'node:zlib';

/** A frame of Amazon's event stream: a prelude of two lengths, headers of text, a body, each with its checksum. */
export function awsFrame(headers: Readonly<Record<string, string>>, body: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => textHeader(name, value)),
  );
  const payload = Buffer.from(body);
  const total = 12 + head.length + payload.length + 4;
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, payload]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message), 0);
  return Buffer.concat([message, sum]);
}

const TEXT = 7;

function textHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value), 0);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([TEXT]),
    length,
    Buffer.from(value),
  ]);
}

/** A piece of a reply of Bedrock: an event of the Messages API in base64. */
export function chunkFrame(event: string): Buffer {
  const headers = {
    ':event-type': 'chunk',
    ':content-type': 'application/json',
    ':message-type': 'event',
  };
  return awsFrame(headers, JSON.stringify({ bytes: Buffer.from(event).toString('base64') }));
}

/** What ends a reply of Bedrock that has begun. @param type as `throttlingException`. */
export function exceptionFrame(type: string, message: string): Buffer {
  const headers = {
    ':exception-type': type,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  };
  return awsFrame(headers, JSON.stringify({ message }));
}
