import { Module } from '@nestjs/common';
import { TRIGGERS, type Trigger } from './trigger.js';
import { defaultTriggers } from './triggers.js';

/** The triggers of notices. */
@Module({
  providers: [
    // A list of its own: extensions add to it.
    { provide: TRIGGERS, useFactory: (): Trigger[] => [...defaultTriggers] },
  ],
  exports: [TRIGGERS],
})
export class NoticesModule {}
