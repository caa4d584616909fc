import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createLogger } from '../../platform/logger.js';
import { blobs } from '../../storage/file-schema.js';
import { Extractor } from './extractor.js';
import { Extractions } from './extractions.js';

describe('Extractions', () => {
  const database = useDatabase();

  async function open(sha256: string, content: Buffer | undefined) {
    const lines: string[] = [];
    const clock = new ManualClock();
    const blob = { sha256, size: 1, contentId: sha256, touchedAt: new Date(clock.now()) };
    await database.db.insert(blobs).values(blob);
    let reads = 0;
    const store = {
      get: async () => {
        reads += 1;
        return content;
      },
      has: async () => false,
      put: async () => ({ sha256, size: 1, start: Buffer.alloc(0) }),
    };
    const logger = createLogger({
      level: 'error',
      readable: false,
      redact: (line) => line,
      destination: { write: (line) => lines.push(line) },
    });
    const extractor = new Extractor();
    const extractions = new Extractions(database.db, clock, logger, store, extractor);
    return { extractions, extractor, clock, lines, reads: () => reads };
  }

  it('reads a content once, and a refused one again after an hour', async () => {
    const text = await open('a', Buffer.from('text'));
    const read = () => text.extractions.extractText('a', 'text');
    expect(await Promise.all([read(), read()])).toEqual([await read(), await read()]);
    expect(text.reads()).toBe(1);
    await text.extractor.close();
    const broken = await open('b', Buffer.from('no PDF'));
    for (let times = 0; times < 2; times += 1) {
      expect(await broken.extractions.countPages('b')).toMatchObject({ type: 'refused' });
    }
    expect(broken.reads()).toBe(1);
    await broken.clock.advance(3_600_001);
    await broken.extractions.countPages('b');
    expect(broken.reads()).toBe(2);
    await broken.extractor.close();
  });

  it('says that a content is gone, or that the server failed, and keeps neither', async () => {
    const gone = await open('c', undefined);
    for (let times = 1; times <= 2; times += 1) {
      expect(await gone.extractions.extractText('c', 'text')).toEqual({
        type: 'refused',
        reason: 'The file is no longer stored: send it again',
      });
      expect(gone.reads()).toBe(times);
    }
    await gone.extractor.close();
    const closed = await open('d', Buffer.from('text'));
    await closed.extractor.close();
    expect(await closed.extractions.extractText('d', 'text')).toEqual({
      type: 'refused',
      reason: 'The server could not read the file; its log says why. Send it again later',
    });
    expect(closed.lines.join('')).toContain(
      'could not read a file; its turn goes on without its content',
    );
  });

  it('forgets what the server lacked, for it may have been installed since', async () => {
    const lacking = await open('e', Buffer.from('a picture'));
    let asked = 0;
    const refused = { type: 'refused', reason: 'There is no OCR', isPassing: true } as const;
    lacking.extractor.extractImageText = async () => {
      asked += 1;
      return refused;
    };
    expect(await lacking.extractions.extractImageText('e')).toEqual(refused);
    expect(await lacking.extractions.extractImageText('e')).toEqual(refused);
    expect(asked).toBe(2);
    await lacking.extractor.close();
  });
});
