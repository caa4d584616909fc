import type { ReaderHistory, Violation } from '../types.js';

export declare function checkReader(turnId: string, reader: ReaderHistory): Violation[];
