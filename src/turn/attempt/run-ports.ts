import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '../../metrics/metrics.js';
import { REDACT, type Redact } from '../../platform/text/redact.js';
import { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { Tracing } from '../../tracing/tracing.js';
import { ToolSurroundings } from './tool-surroundings.js';
import { HistoryShortener } from '../prompt/history-shortener.js';
import type { LoopPorts } from '../state/turn-run.js';
import { CallPolicy } from './call-policy.js';

/** The services that every run of the process has, and what is set for its calls. */
@Injectable()
export class RunPorts implements LoopPorts {
  constructor(
    @Inject(DATABASE) readonly db: Database,
    readonly provider: AnthropicProvider,
    @Inject(REDACT) readonly redact: Redact,
    readonly surroundings: ToolSurroundings,
    readonly shortener: HistoryShortener,
    readonly metrics: Metrics,
    readonly tracing: Tracing,
    readonly policy: CallPolicy,
  ) {}

  get outputs(): LoopPorts['outputs'] {
    return this.surroundings.outputs;
  }

  get toolHook(): LoopPorts['toolHook'] {
    return this.policy.toolHook;
  }
}
