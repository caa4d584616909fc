import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Type } from '@nestjs/common';
import type { Job, WorkerOptions } from 'bullmq';
import type { TurnHandler } from './turn-queue.js';

/** The queue's name, the last part of its keys. */
export const QUEUE_NAME = 'turns';

/** All a job carries: everything else is in the database. */
export interface TurnJob {
  turnId: string;
  /** Absent: no. */
  isRecovered?: boolean;
}

/** Hands jobs to the queue's consumer. */
export abstract class TurnProcessorHost extends WorkerHost {
  handler: TurnHandler | undefined;

  async process(job: Job<TurnJob>): Promise<void> {
    if (this.handler === undefined) throw new Error('Nobody consumes the turn queue');
    const { turnId, isRecovered = false } = job.data;
    await this.handler.handle(turnId, isRecovered);
  }
}

/** A processor with options that are known at start only: a decorator takes no others. */
export function turnProcessor(options: Omit<WorkerOptions, 'connection'>): Type<TurnProcessorHost> {
  @Processor(QUEUE_NAME, options)
  class TurnProcessor extends TurnProcessorHost {}
  return TurnProcessor;
}
