import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Type } from '@nestjs/common';
import type { WorkerOptions } from 'bullmq';

/** The queue's name, the last part of its keys. */
export const QUEUE_NAME = 'turns';

/** Hands jobs to the queue's consumer, which claims turns for them. A job is a token, and carries nothing. */
export abstract class TurnProcessorHost extends WorkerHost {
  handler: (() => Promise<void>) | undefined;

  async process(): Promise<void> {
    if (this.handler === undefined) throw new Error('Nobody consumes the turn queue');
    await this.handler();
  }
}

/** A processor with options that are known at start only: a decorator takes no others. */
export function turnProcessor(options: Omit<WorkerOptions, 'connection'>): Type<TurnProcessorHost> {
  @Processor(QUEUE_NAME, options)
  class TurnProcessor extends TurnProcessorHost {}
  return TurnProcessor;
}
