import { expect } from '@jest/globals';
import type { Run } from './schedule-scene.js';

/** What the blocks of the page about schedules do, in order. */
export function scheduleUses(shell: (code: string) => Promise<string>) {
  return [
    async (code: string): Promise<string> => {
      const output = await shell(code);
      expect(JSON.parse(output)).toMatchObject({
        schedule: { key: 'weekly-report', session: 'new', nextAt: expect.any(String) },
      });
      return output;
    },
    async (code: string): Promise<string> => {
      const output = await shell(code);
      const { upcoming } = JSON.parse(output) as { upcoming: { local: string }[] };
      expect(upcoming.map(({ local }) => local.slice(10))).toEqual(['T09:00', 'T09:00', 'T09:00']);
      return output;
    },
    async (code: string): Promise<string> => {
      const output = await shell(code);
      expect(JSON.parse(output)).toEqual({ runs: [] });
      return output;
    },
    async (code: string): Promise<string> => {
      const output = await shell(code);
      const [triggered, paused, resumed] = output
        .split(/(?<=\})(?=\{)/)
        .map((answer) => JSON.parse(answer) as { run?: Run; schedule?: object });
      expect(triggered).toMatchObject({ run: { outcome: 'submitted', cause: 'trigger' } });
      expect(paused).toMatchObject({ schedule: { pauseReason: 'requested' } });
      expect(resumed).toMatchObject({ schedule: { pausedAt: null } });
      return output;
    },
  ];
}
