import { ApiProperty } from '@nestjs/swagger';
import type { AgentProblem } from '../../agents/check-agents.js';
import type { AgentSummary } from '../../agents/summarize-agent.js';
import { nullableText } from '../../http/fields/json-schemas.js';

export class AgentDto implements AgentSummary {
  @ApiProperty({ type: String, example: 'WORKING_ITEMS' })
  name!: string;

  @ApiProperty({ type: String, example: 'agents/AGENT_WORKING_ITEMS.md' })
  file!: string;

  @ApiProperty(nullableText)
  description!: string | null;

  @ApiProperty({ ...nullableText, description: 'Null: the turn’s model, or the server’s default.' })
  model!: string | null;

  @ApiProperty({ type: [String], nullable: true, description: 'Null: the server’s default tools.' })
  tools!: readonly string[] | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Limits that the file sets, by their names on the wire.',
    example: { max_iterations: 20 },
  })
  limits!: Record<string, number>;

  @ApiProperty({ type: [String], description: 'Agents that it may delegate to.' })
  subagents!: readonly string[];

  @ApiProperty({ type: String, example: 'default' })
  decision_tree!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: '0, 1 (talks to a person) or 2 (may be delegated to). Null: not given.',
  })
  type!: number | null;
}

export class AgentProblemDto implements AgentProblem {
  @ApiProperty({ type: String, example: 'agents/reader.md' })
  file!: string;

  @ApiProperty({ type: 'integer' })
  line!: number;

  @ApiProperty({ type: String })
  message!: string;
}

export class AgentListDto {
  @ApiProperty({ type: [AgentDto] })
  agents!: AgentDto[];

  @ApiProperty({
    type: [AgentProblemDto],
    description:
      'Faults of the agents’ files as they are now: the last version without faults is used, or the agent has no tools.',
  })
  problems!: AgentProblemDto[];
}
