import { pino } from 'pino';
import type { Logger } from '../../src/platform/logger.js';

/** A logger that writes nothing. */
export const silentLogger: Logger = pino({ level: 'silent' });
