import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { TOOL_HOOK, type ToolHook } from '../../tools/tool-hook.js';
import type { ApprovalRules } from '../approvals/call-rules.js';

/** What the operator has set for the calls of every turn. */
@Injectable()
export class CallPolicy {
  constructor(
    /** Null: none. */
    @Inject(TOOL_HOOK) readonly toolHook: ToolHook | null,
    @Inject(CONFIG)
    private readonly config: Pick<Config, 'approvalTimeoutMs' | 'approvalDefault' | 'unknownCalls'>,
  ) {}

  get approvals(): ApprovalRules {
    const { approvalTimeoutMs: timeoutMs, approvalDefault: onTimeout, unknownCalls } = this.config;
    return { timeoutMs, onTimeout, unknownCalls };
  }
}
