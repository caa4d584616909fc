import { fieldsOf } from '../../http/fields/class-fields.js';
import {
  BoundedText,
  Flag,
  ListOf,
  MayBeAbsent,
  WholeNumber,
} from '../../http/fields/field-rules.decorator.js';
import { RequestForm } from '../../http/request-form.decorator.js';
import { AgentConfigDto } from '../agent-config.dto.js';

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

@RequestForm({ listedIn: 'body' })
export class ResetAgentConfigDto {
  @MayBeAbsent()
  @ListOf(limitNames, fields, 'enum')
  fields = limitNames;
}

@RequestForm({ listedIn: 'body' })
export class ResetPreferencesDto {
  @MayBeAbsent()
  @ListOf(preferenceNames, fields, 'enum')
  fields = preferenceNames;
}
