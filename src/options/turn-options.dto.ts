import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  busyPolicies,
  type AttachmentsAs,
  type ClientTool,
  type OnBusy,
  type OnDisconnect,
  type Priority,
} from '../storage/shapes/stored-options.js';
import { efforts, type ThinkingChoice } from '../storage/shapes/stored-thinking.js';
import { AgentConfigDto } from './agent-config.dto.js';
import { optionRules } from './option-rules.js';

/** Documents an option: what it does, then what it must be. */
function Option(name: keyof typeof optionRules, about: string, schema: object) {
  return ApiPropertyOptional({
    description: `${about} It must be ${optionRules[name].expected}.`,
    ...schema,
  });
}

/**
 * A turn's options as clients send them. All are optional; a value that is not what it must be is not used, and a
 * notice on the stream says so. `option-rules.ts` has the rules.
 */
export class TurnOptionsDto {
  @Option('model', 'The model.', { type: String })
  model?: string;

  @Option(
    'fallbackModel',
    'The model that goes on where `model` is overloaded, not found or declines.',
    {
      type: String,
    },
  )
  fallbackModel?: string;

  @Option('tools', 'The tools that the turn may use; none where it is empty.', { type: [String] })
  tools?: readonly string[];

  @Option('maxTurns', 'Most model calls.', { type: 'integer', minimum: 1 })
  maxTurns?: number;

  @Option('maxTokens', 'Most tokens of a reply.', { type: 'integer', minimum: 1 })
  maxTokens?: number;

  @Option('maxCostUsd', 'Most that the turn may cost, in US dollars.', { type: Number })
  maxCostUsd?: number;

  @Option('persona', 'The agent.', { type: String })
  persona?: string;

  @Option('mode', 'The permission mode.', { type: String, example: 'acceptEdits' })
  mode?: string;

  @Option('onDisconnect', 'Whether the turn ends or goes on when its last reader has left.', {
    enum: ['cancel', 'continue'],
  })
  onDisconnect?: OnDisconnect;

  @Option('onBusy', 'What becomes of the turn while its session has an active one.', {
    enum: busyPolicies,
  })
  onBusy?: OnBusy;

  @Option('priority', 'A background turn runs when no normal one waits.', {
    enum: ['normal', 'background'],
  })
  priority?: Priority;

  @Option('thinking', 'Whether and how the model thinks before it answers.', {
    oneOf: [
      { type: 'boolean' },
      {
        type: 'object',
        properties: {
          effort: { enum: efforts },
          display: { enum: ['summarized', 'omitted'] },
        },
      },
    ],
  })
  thinking?: ThinkingChoice;

  @Option('citations', 'Whether the model cites the passages of files that it uses.', {
    type: Boolean,
  })
  citations?: boolean;

  @Option('attachmentsAs', 'Files for the model: in their own format, or as text.', {
    enum: ['native', 'text'],
  })
  attachmentsAs?: AttachmentsAs;

  @Option('clientTools', "Tools that the turn's client runs.", {
    type: 'array',
    items: {
      type: 'object',
      required: ['name', 'description', 'inputSchema'],
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        inputSchema: { type: 'object' },
      },
    },
  })
  clientTools?: readonly ClientTool[];

  @ApiPropertyOptional({ type: AgentConfigDto, description: 'Limits of the turn.' })
  agentConfig?: Readonly<AgentConfigDto>;

  @ApiPropertyOptional({
    type: Object,
    description: 'Whether and how the turn may delegate to subagents.',
  })
  subagentGovernance?: Readonly<Record<string, unknown>>;
}
