import { MemoryEventLog } from '../../src/events/memory-event-log.js';
import { ManualClock } from '../support/manual-clock.js';
import { eventLogConformance } from './event-log.js';

eventLogConformance('MemoryEventLog', async () => {
  const clock = new ManualClock();
  return { log: new MemoryEventLog(clock), pass: (ms) => clock.advance(ms) };
});
