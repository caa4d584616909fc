import { Global, Module } from '@nestjs/common';
import { Tracing } from './tracing.js';

/** Provides tracing to every module. */
@Global()
@Module({ providers: [Tracing], exports: [Tracing] })
export class TracingModule {}
