import { Module } from '@nestjs/common';
import { MemoryModule } from '../../memory/memory.module.js';
import { TurnMemory } from '../../memory/turn-memory.js';
import { ToolRegistry, ToolsModule } from '../../tools/face.js';
import { AttemptModule, ToolSources } from '../../turn/face.js';
import { memorySource } from './memory-source.js';

/** Turns that keep files for later conversations. */
@Module({ imports: [AttemptModule, MemoryModule, ToolsModule] })
export class TurnMemoryModule {
  constructor(sources: ToolSources, memory: TurnMemory, registry: ToolRegistry) {
    sources.register(memorySource(memory, registry));
  }
}
