import type { ScheduleRows, Violation } from '../types.js';

export declare function checkScheduleRuns(schedule: ScheduleRows): Violation[];
