import { crc32, deflateSync } from 'node:zlib';

/** A picture of one pixel, in base64. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A picture that says it has 2.5 billion pixels, in base64: a few bytes, and gigabytes once they are read. */
export const bomb = hugePng().toString('base64');

/** A recording of a tenth of a second without a sound, in base64. */
export const silence = wav(800).toString('base64');

/** A WAVE file of so many samples, 8,000 a second, of 8 bits. */
function wav(samples: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 0x80)]);
}

function hugePng(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [head, tail] = [Buffer.alloc(4), Buffer.alloc(4)];
    head.writeUInt32BE(data.length);
    tail.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, tail]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(50_000, 0);
  size.writeUInt32BE(50_000, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const lines = deflateSync(Buffer.alloc(1_000_000));
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    start,
    chunk('IHDR', size),
    chunk('IDAT', lines),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
