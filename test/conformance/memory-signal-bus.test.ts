import { MemorySignalBus } from '../../src/turn/queue/signal-bus.js';
import { signalBusConformance } from './signal-bus.js';

signalBusConformance('MemorySignalBus', async () => new MemorySignalBus());
