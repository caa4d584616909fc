import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { CrashSeries } from '../../support/crash/crash-series.js';
import { skillPoints } from '../../support/crash/skill-crash-points.js';
import { toolHookPoints } from '../../support/crash/tool-hook-crash-points.js';
import { markingPoints } from '../../support/crash/webhook-crash-points.js';
import { startHook, type TestHook } from '../../support/tools/start-hook.js';
import { startReceiver, type Receiver } from '../../support/webhooks/start-receiver.js';

let hook: TestHook;
let receiver: Receiver;

/** Every group dies with the same process. */
const groups = {
  'of a skill that is loaded': skillPoints,
  'of a question to the tool hook': toolHookPoints(() => hook),
  'of a sender of webhooks': markingPoints(() => receiver),
};

let series: CrashSeries;
beforeAll(async () => {
  hook = await startHook();
  hook.receiver.answer = (response, { text }) => {
    const decision = text.includes('held-back') ? 'ask' : 'allow';
    response.writeHead(200).end(JSON.stringify({ decision }));
  };
  receiver = await startReceiver();
  series = new CrashSeries({
    points: Object.fromEntries(Object.values(groups).flatMap((points) => Object.entries(points))),
    kills: 1,
    // The hook makes the way to a line longer.
    environment: {
      ...hook.environment,
      TURNPIKE_LEASE_MS: '8000',
      TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*',
    },
    // The lease of the dead sender is over.
    meanwhile: (db) => db.execute(sql`update webhook_deliveries set next_at = now()`),
  });
  await series.open();
});
afterAll(async () => {
  await series.close();
  for (const { close } of [hook.receiver, receiver]) await close();
});

describe.each(Object.entries(groups))('kill -9 at a line %s', (_group, points) => {
  it.each(Object.entries(points).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
