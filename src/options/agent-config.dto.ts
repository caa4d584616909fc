import { applyDecorators } from '@nestjs/common';
import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import { MayBeAbsent, WholeNumber } from '../http/fields/field-rules.decorator.js';
import { RequestForm } from '../http/request-form.decorator.js';

/** A limit with the bounds and the meaning that the table has under its name. */
function Limit(name: string) {
  const field = agentConfigFields.find(({ wireName }) => wireName === name);
  if (field === undefined) throw new Error(`There is no limit ${name}`);
  const { min, max, meaning } = field;
  return applyDecorators(MayBeAbsent(), WholeNumber({ min, max, description: meaning }));
}

/** Limits of turns, any of them (contract: oracle, section 3). */
@RequestForm({ listedIn: 'body', closed: 'The body' })
export class AgentConfigDto {
  @Limit('max_iterations') max_iterations?: number;
  @Limit('soft_warning_percent') soft_warning_percent?: number;
  @Limit('token_budget') token_budget?: number;
  @Limit('token_warning_percent') token_warning_percent?: number;
  @Limit('timeout_seconds') timeout_seconds?: number;
  @Limit('max_tool_calls_per_turn') max_tool_calls_per_turn?: number;
  @Limit('max_parallel_tools') max_parallel_tools?: number;
}
