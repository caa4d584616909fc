import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject } from '../http/fields/json-schemas.js';
import type {
  AttachmentsAs,
  ClientTool,
  OnBusy,
  OnDisconnect,
  OutputTerms,
  Priority,
  ThinkingChoice,
} from '../storage/shapes/stored-options.js';
import { AgentConfigDto } from './agent-config.dto.js';
import type { OptionRule } from './option-rule.js';
import { optionRules } from './option-rules.js';

/**
 * A lenient field: its rule is no fault of a request. A value that breaks it is not used, and a notice says
 * so (`option-problems.ts`). The rule's values must fit the field's type.
 */
function Lenient<T>(rule: OptionRule<T>) {
  return <Name extends string>(
    target: { readonly [Field in Name]?: Readonly<T> | undefined },
    name: Name,
  ): void => {
    const description = `${rule.about} It must be ${rule.expected}.`;
    ApiPropertyOptional({ ...rule.schema, description })(target, name);
  };
}

/** A turn's options as clients send them. All are optional. */
export class TurnOptionsDto {
  @Lenient(optionRules.model) model?: string;
  @Lenient(optionRules.fallbackModel) fallbackModel?: string;
  @Lenient(optionRules.tools) tools?: readonly string[];
  @Lenient(optionRules.skills) skills?: readonly string[];
  @Lenient(optionRules.maxTurns) maxTurns?: number;
  @Lenient(optionRules.maxTokens) maxTokens?: number;
  @Lenient(optionRules.maxCostUsd) maxCostUsd?: number;
  @Lenient(optionRules.persona) persona?: string;
  @Lenient(optionRules.mode) mode?: string;
  @Lenient(optionRules.onDisconnect) onDisconnect?: OnDisconnect;
  @Lenient(optionRules.onBusy) onBusy?: OnBusy;
  @Lenient(optionRules.priority) priority?: Priority;
  @Lenient(optionRules.thinking) thinking?: ThinkingChoice;
  @Lenient(optionRules.citations) citations?: boolean;
  @Lenient(optionRules.memory) memory?: boolean;
  @Lenient(optionRules.attachmentsAs) attachmentsAs?: AttachmentsAs;

  // `required` names the fields of the object here, and an optional property would be without it.
  @ApiProperty({
    ...optionRules.output.schema,
    selfRequired: false,
    description: `${optionRules.output.about} It must be ${optionRules.output.expected}.`,
  })
  output?: Readonly<Pick<OutputTerms, 'schema'> & Partial<OutputTerms>>;

  @Lenient(optionRules.clientTools) clientTools?: readonly ClientTool[];
  /** A turn of the session that has ended: this one takes its place, and that of all that follow it. */
  @ApiPropertyOptional({ type: String }) replaces?: string;
  /** Limits of the turn. */
  @ApiPropertyOptional({ type: AgentConfigDto }) agentConfig?: Readonly<AgentConfigDto>;
  /** Whether and how the turn may delegate to subagents. */
  @ApiPropertyOptional(jsonObject) subagentGovernance?: Readonly<Record<string, unknown>>;
}
