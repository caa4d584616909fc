import type { ScheduleRows, Violation } from '../types.js';

export declare function checkSlots(schedule: ScheduleRows): Violation[];
