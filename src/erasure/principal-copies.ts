import { Inject, Injectable } from '@nestjs/common';
import { REQUEST_COUNTER, type RequestCounter } from '../governance/rates/request-rate.js';
import { BlobStore } from '../attachments/blob-store.js';
import { EVENT_LOG, type EventLog } from '../events/event-log.js';

/** A principal's data beside rows: contents of files, live logs, counts of requests. */
@Injectable()
export class PrincipalCopies {
  constructor(
    private readonly contents: BlobStore,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(REQUEST_COUNTER) private readonly counter: RequestCounter,
  ) {}

  /**
   * @param hashes of files: those that others use too stay.
   * @param turnIds of turns that have ended.
   */
  async remove(
    principalId: string,
    { hashes, turnIds }: { hashes: readonly string[]; turnIds: readonly string[] },
  ): Promise<void> {
    await this.contents.removeUnused(hashes);
    await this.log.remove(turnIds);
    await this.counter.forget(principalId);
  }
}
