import { Module } from '@nestjs/common';
import { QueuePositions, WorkerWaker } from './queue-positions.js';
import { TurnClaims } from './turn-claims.js';

/** Claims of turns, their leases, and what those that wait for a worker are told. */
@Module({
  providers: [TurnClaims, QueuePositions, WorkerWaker],
  exports: [TurnClaims, QueuePositions, WorkerWaker],
})
export class QueueModule {}
