import { MemorySignalBus } from '../../src/turn/queue/memory-signal-bus.js';
import { signalBusConformance } from './signal-bus.js';

signalBusConformance('MemorySignalBus', async () => new MemorySignalBus());
