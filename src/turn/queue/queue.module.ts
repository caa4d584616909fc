import { Module } from '@nestjs/common';
import { QueueNotifier } from './queue-notifier.js';
import { TurnClaims } from './turn-claims.js';

/** Claims of turns, their leases, and what those that wait for a worker are told. */
@Module({
  providers: [TurnClaims, QueueNotifier],
  exports: [TurnClaims, QueueNotifier],
})
export class QueueModule {}
