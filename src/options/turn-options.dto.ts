import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject } from '../http/fields/json-schemas.js';
import type {
  AttachmentsAs,
  ClientTool,
  OnBusy,
  OnDisconnect,
  OutputTerms,
  Priority,
  PromptChoice,
  ThinkingChoice,
} from '../storage/shapes/stored-options.js';
import { AgentConfigDto } from './preferences.dto.js';
import { optionRules, type OptionValues } from './option-rules.js';

/**
 * A lenient field: its rule is no fault of a request. A value that breaks it is not used, and a notice says
 * so (`option-problems.ts`). The rule's values must fit the field's type.
 */
function Lenient<Name extends keyof OptionValues>(
  target: { readonly [Field in Name]?: Readonly<OptionValues[Field]> | undefined },
  name: Name,
): void {
  const { schema, about, expected } = optionRules[name];
  ApiPropertyOptional({ ...schema, description: `${about} It must be ${expected}.` })(target, name);
}

/** A turn's options as clients send them. All are optional. */
export class TurnOptionsDto {
  @Lenient model?: string;
  @Lenient fallbackModel?: string;
  @Lenient fallbackModels?: readonly string[];
  @Lenient tools?: readonly string[];
  @Lenient skills?: readonly string[];
  @Lenient maxTurns?: number;
  @Lenient maxTokens?: number;
  @Lenient maxCostUsd?: number;
  @Lenient persona?: string;
  @Lenient mode?: string;
  @Lenient onDisconnect?: OnDisconnect;
  @Lenient onBusy?: OnBusy;
  @Lenient priority?: Priority;
  @Lenient thinking?: ThinkingChoice;
  @Lenient citations?: boolean;
  @Lenient memory?: boolean;
  @Lenient attachmentsAs?: AttachmentsAs;

  // `required` names the fields of the object here, and an optional property would be without it.
  @ApiProperty({
    ...optionRules.output.schema,
    selfRequired: false,
    description: `${optionRules.output.about} It must be ${optionRules.output.expected}.`,
  })
  output?: Readonly<Pick<OutputTerms, 'schema'> & Partial<OutputTerms>>;

  @Lenient clientTools?: readonly ClientTool[];

  // As for `output`.
  @ApiProperty({
    ...optionRules.prompt.schema,
    selfRequired: false,
    description: `${optionRules.prompt.about} It must be ${optionRules.prompt.expected}.`,
  })
  prompt?: Readonly<PromptChoice>;

  /** A turn of the session that has ended: this one takes its place, and that of all that follow it. */
  @ApiPropertyOptional({ type: String }) replaces?: string;
  /** Limits of the turn. */
  @ApiPropertyOptional({ type: AgentConfigDto }) agentConfig?: Readonly<AgentConfigDto>;
  /** Whether and how the turn may delegate to subagents. */
  @ApiPropertyOptional(jsonObject) subagentGovernance?: Readonly<Record<string, unknown>>;
}
