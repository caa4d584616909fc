import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Metrics } from '../../metrics/metrics.js';
import { REDACT, type Redact } from '../../platform/text/redact.js';
import { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { Tracing } from '../../tracing/tracing.js';
import { ToolSurroundings } from './tool-surroundings.js';
import { HistoryShortener } from '../prompt/history-shortener.js';
import type { LoopPorts } from '../state/turn-run.js';
import type { ApprovalRules } from '../approvals/call-rules.js';

/** The services that every run of the process has, and its rules for approvals. */
@Injectable()
export class RunPorts implements LoopPorts {
  constructor(
    @Inject(DATABASE) readonly db: Database,
    @Inject(AnthropicProvider) readonly provider: Pick<AnthropicProvider, 'stream' | 'countTokens'>,
    @Inject(REDACT) readonly redact: Redact,
    readonly surroundings: ToolSurroundings,
    readonly shortener: HistoryShortener,
    readonly metrics: Metrics,
    readonly tracing: Tracing,
    @Inject(CONFIG)
    private readonly config: Pick<Config, 'approvalTimeoutMs' | 'approvalDefault' | 'unknownCalls'>,
  ) {}

  get approvalRules(): ApprovalRules {
    const { approvalTimeoutMs: timeoutMs, approvalDefault: onTimeout, unknownCalls } = this.config;
    return { timeoutMs, onTimeout, unknownCalls };
  }
}
