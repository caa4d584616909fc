import { MemorySignalBus } from '../../src/turn/memory-signal-bus.js';
import { signalBusConformance } from './signal-bus.js';

signalBusConformance('MemorySignalBus', async () => new MemorySignalBus());
