import { describe, expect, it } from '@jest/globals';
import { closeRedis, connectRedis } from '../../src/storage/redis/redis-connection.js';
import { startRedisCluster } from '../support/processes/redis-cluster.js';
import { endEvent } from './event-log.js';
import { openLog, redisConformance, useRedis } from './redis-parts.js';
import { useShared } from '../support/suite.js';

const cluster = useShared(startRedisCluster);
const parts = useRedis(() => cluster.address);
redisConformance(' over a cluster', parts);

describe('the logs of many turns over a cluster', () => {
  it('are at every node, and are appended to at once', async () => {
    const log = openLog(parts, { keptMs: 60_000 });
    const turnIds = Array.from({ length: 50 }, (_, index) => `turn-${index}`);
    await Promise.all(turnIds.map((turnId) => log.append(turnId, 1, [endEvent(1)])));
    const sizes = await Promise.all(
      cluster.masters.map(async ({ port }) => {
        const node = await connectRedis({
          address: { kind: 'server', url: `redis://127.0.0.1:${port}` },
          name: 'size',
          onError: () => undefined,
        });
        const size = await node.dbsize();
        await closeRedis(node);
        return size;
      }),
    );
    for (const size of sizes) expect(size).toBeGreaterThan(0);
    for (const turnId of turnIds) expect(await log.read(turnId)).toEqual([endEvent(1)]);
  });
});
