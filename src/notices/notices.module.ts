import { Module } from '@nestjs/common';
import { TodoStore } from './todos.js';
import { TRIGGERS, type Trigger } from './trigger.js';
import { defaultTriggers } from './triggers.js';

/** The triggers of notices, and the sessions' lists of things to do. */
@Module({
  providers: [
    TodoStore,
    // A list of its own: extensions add to it.
    { provide: TRIGGERS, useFactory: (): Trigger[] => [...defaultTriggers] },
  ],
  exports: [TodoStore, TRIGGERS],
})
export class NoticesModule {}
