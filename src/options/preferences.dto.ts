import { listedIn } from '../http/errors/fastapi-faults.js';
import { applyDecorators } from '@nestjs/common';
import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import {
  MayBeAbsent,
  WholeNumber,
  BoundedText,
  Flag,
  ListOf,
  fieldsOf,
} from '../http/fields/field-rules.decorator.js';
import { RequestForm } from '../http/request.pipe.js';

/** A limit with the bounds and the meaning that the table has under its name. */
function Limit(name: string) {
  const field = agentConfigFields.find(({ wireName }) => wireName === name);
  if (field === undefined) throw new Error(`There is no limit ${name}`);
  const { min, max, meaning } = field;
  return applyDecorators(MayBeAbsent(), WholeNumber({ min, max, description: meaning }));
}

/** Limits of turns, any of them (contract: oracle, section 3). */
@RequestForm({ closed: 'The body', refuse: listedIn('body') })
export class AgentConfigDto {
  @Limit('max_iterations') max_iterations?: number;
  @Limit('soft_warning_percent') soft_warning_percent?: number;
  @Limit('token_budget') token_budget?: number;
  @Limit('token_warning_percent') token_warning_percent?: number;
  @Limit('timeout_seconds') timeout_seconds?: number;
  @Limit('max_tool_calls_per_turn') max_tool_calls_per_turn?: number;
  @Limit('max_parallel_tools') max_parallel_tools?: number;
}

/** Values of preferences that were not saved, where no tier of the server has one. */
export const preferenceDefaults = {
  thinking_enabled: true,
  /** Seconds. */
  librarian_timeout: 1_200,
  max_context_nodes: 30,
};

function Model(meaning: string) {
  return BoundedText({
    max: 200,
    expected: "a model's name of 1 to 200 characters, without NUL",
    description: `${meaning} Default: the server's default model.`,
  });
}

/** A user's preferences, any of them: models, and the limits of turns. */
export class PreferencesDto extends AgentConfigDto {
  @MayBeAbsent()
  @Model('Model of the oracle’s turns.')
  oracle_model?: string;

  @MayBeAbsent()
  @Model('Model of subagents whose file names none.')
  subagent_model?: string;

  @MayBeAbsent()
  @Flag('Whether the model is asked to think where the request names no preference.')
  thinking_enabled?: boolean;

  @MayBeAbsent()
  @WholeNumber({
    min: 60,
    max: 3_600,
    description: 'Longest time of a subagent, in seconds.',
  })
  librarian_timeout?: number;

  @MayBeAbsent()
  @WholeNumber({
    min: 5,
    max: 100,
    description:
      'Most files of a message, and results of a search, that the model is shown at once.',
  })
  max_context_nodes?: number;
}

/** The names that each route takes. */
export const limitNames = fieldsOf(AgentConfigDto);
export const preferenceNames = fieldsOf(PreferencesDto);

const fields = 'The fields to reset. Absent: all of them.';

@RequestForm({ refuse: listedIn('body', { isIn: 'enum' }) })
export class ResetAgentConfigDto {
  @MayBeAbsent()
  @ListOf(limitNames, fields)
  fields = limitNames;
}

@RequestForm({ refuse: listedIn('body', { isIn: 'enum' }) })
export class ResetPreferencesDto {
  @MayBeAbsent()
  @ListOf(preferenceNames, fields)
  fields = preferenceNames;
}
