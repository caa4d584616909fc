import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import * as strict6 from 'ai-6-strict';
import * as oldest7 from 'ai-7-oldest';
import { aiSdkOf } from '../../src/client/chat-transport.js';

/** Releases of the AI SDK that are not the newest of their major, and the recorded streams that they read. */
const releases = [
  { name: 'the last strict one of 6', package: strict6, golden: 'ai-sdk', major: undefined },
  { name: 'the oldest of 7', package: oldest7, golden: 'ai-sdk-7', major: 7 },
] as const;

/** The chunks of each recorded stream of a wire: `[file, chunks]`. */
function recordedChunks(wire: string): [string, unknown[]][] {
  const folder = fileURLToPath(new URL(`../golden/${wire}`, import.meta.url));
  return readdirSync(folder).map((file) => {
    const lines = readFileSync(`${folder}/${file}`, 'utf8').matchAll(/^data: (?!\[DONE\])(.+)$/gm);
    return [file, [...lines].map(([, data = '']) => JSON.parse(data) as unknown)];
  });
}

describe.each(releases)(
  'a release of the AI SDK, $name,',
  ({ package: release, golden, major }) => {
    it.each(recordedChunks(golden))('knows each chunk of %s', async (_file, chunks) => {
      const schema = release.uiMessageChunkSchema();
      expect(chunks.length).toBeGreaterThan(0);
      for (const chunk of chunks) {
        expect(await schema.validate?.(chunk)).toMatchObject({ success: true });
      }
    });

    if (major === undefined) return;
    it('is known by its schema', async () => {
      expect(await aiSdkOf(release.uiMessageChunkSchema)).toBe(major);
    });
  },
);
