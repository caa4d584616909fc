import { describe, expect, it } from '@jest/globals';
import { parseSamples, valueOf, type Sample } from '../support/metrics/scrape.js';
import { newStore } from '../support/database/test-store.js';
import { startServer } from '../support/processes/start-server.js';

async function scrape(url: string): Promise<Sample[]> {
  return parseSamples(await (await fetch(`${url}/metrics`)).text());
}

describe('the metrics of an API and a worker', () => {
  it('are each its own, and those of the queue are the same', async () => {
    const store = await newStore();
    const api = await startServer({ store, environment: { TURNPIKE_ROLE: 'api' } });
    const { client, projectRoot } = api;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=3]]');
    const queued = await scrape(api.url);
    expect(valueOf(queued, 'turnpike_queue_turns', { state: 'queued' })).toBe(1);
    expect(valueOf(queued, 'turnpike_queue_oldest_age_seconds')).toBeGreaterThan(0);
    expect(valueOf(queued, 'turnpike_worker_slots')).toBe(0);
    const worker = await startServer({ store, environment: { TURNPIKE_ROLE: 'worker' } });
    await stream.all();
    const [ofApi, ofWorker] = [await scrape(api.url), await scrape(worker.url)];
    expect(valueOf(ofApi, 'turnpike_turns_accepted_total')).toBe(1);
    expect(valueOf(ofApi, 'turnpike_turns_ended_total')).toBe(0);
    expect(valueOf(ofWorker, 'turnpike_turns_accepted_total')).toBe(0);
    expect(valueOf(ofWorker, 'turnpike_turns_ended_total', { outcome: 'completed' })).toBe(1);
    expect(valueOf(ofWorker, 'turnpike_queue_turns', { state: 'queued' })).toBe(0);
    expect(valueOf(ofWorker, 'turnpike_build_info', { role: 'worker' })).toBe(1);
    await worker.close();
    await api.close();
    await store.close();
  });
});
