import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryController } from './memory.controller.js';
import { OwnerMemory } from './owner-memory.js';
import { TurnMemory } from './turn-memory.js';

/** The memory that turns read and write. */
@Module({ imports: [AccessModule], providers: [TurnMemory], exports: [TurnMemory] })
export class MemoryModule {}

/** The routes of memories, for their owners. */
@Module({ imports: [AccessModule], controllers: [MemoryController], providers: [OwnerMemory] })
export class MemoryApiModule {}
