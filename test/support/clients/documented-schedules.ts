import { expect } from '@jest/globals';
import type { DocumentedPage, Run } from './documented-page.js';

/** What is done with the blocks of guide/schedules.md. */
export const scheduleUses = (page: DocumentedPage): Run[] => [
  page.prints({ schedule: { key: 'weekly-report', session: 'new', nextAt: expect.any(String) } }),
  page.prints(/^\{"upcoming":\[(\{[^}]*"local":"[\d-]{10}T09:00"[^}]*\},?){3}\]\}$/),
  page.prints(/^\{"runs":\[\]\}$/),
  async (code) => {
    const output = await page.shell(code);
    const answers = output.split(/(?<=\})(?=\{)/).map((answer): unknown => JSON.parse(answer));
    expect(answers).toMatchObject([
      { run: { outcome: 'submitted', cause: 'trigger' } },
      { schedule: { pauseReason: 'requested' } },
      { schedule: { pausedAt: null } },
    ]);
    return output;
  },
];
