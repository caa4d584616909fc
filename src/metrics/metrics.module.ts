import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Provides the metrics of the process to every module. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
