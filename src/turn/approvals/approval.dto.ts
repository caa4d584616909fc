import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsBoolean, IsIn, IsOptional, MaxLength } from 'class-validator';
import { anyJson, nullableText } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page.dto.js';
import { schemaOf } from '../../http/fields/type-schema.js';
import type { JsonObject } from '../../platform/json.js';
import { approvalDecisions, type ApprovalDecision } from '../../storage/governance-schema.js';
import type { ApprovalSession, ApprovalView, ListedApprovalView } from './view-approval.js';
import { says } from '../../http/fields/field-words.js';
import { decisions, type Decision } from './approval-store.js';
import { LONGEST_MESSAGE } from './validate-answer.js';
import { OptionalText, Trimmed } from '../../http/fields/field-rules.decorator.js';

/** An answer, before it is checked against its approval (`validate-answer.ts`). */
export class AnswerDto {
  @ApiProperty({
    enum: decisions,
    description:
      '`approve-session`: and every such call of the session after it. Of a tool of the client: `answer` or `deny`.',
    example: 'approve',
  })
  @Trimmed()
  @IsIn(decisions, says(`Missing or invalid '$field': one of ${decisions.join(', ')}`))
  decision!: Decision;

  @OptionalText('With deny: the message to the model.', 'Write to docs/ instead.')
  @MaxLength(LONGEST_MESSAGE, says(`'$field' must have at most ${LONGEST_MESSAGE} characters`))
  message?: string;

  @ApiPropertyOptional({
    ...anyJson,
    description: 'With an approval: what the tool runs with in place of what the model asked for.',
  })
  @Allow()
  input?: unknown;

  @OptionalText(
    'With approve-session: the rule that is allowed from then on, which must cover this call. Default: this very call.',
    'bash(git status*)',
  )
  @MaxLength(500, says("'$field' must have at most 500 characters"))
  rule?: string;

  @ApiPropertyOptional({
    ...anyJson,
    description: 'With answer: what the client’s tool gave. Text, or JSON that the model reads.',
  })
  @Allow()
  output?: unknown;

  @ApiPropertyOptional({ type: Boolean, description: 'With answer: whether the tool failed.' })
  @IsOptional()
  @IsBoolean()
  isError?: boolean;
}

export class ApprovalDto implements ApprovalView {
  @ApiProperty({ type: String, example: 'appr_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11' })
  approvalId!: string;

  @ApiProperty({ type: String })
  turnId!: string;

  @ApiProperty({ type: String })
  sessionId!: string;

  @ApiProperty({ type: String, description: 'The call it is about.' })
  toolUseId!: string;

  @ApiProperty({
    enum: ['tool', 'unknown-outcome', 'client-tool'],
    description:
      '`unknown-outcome`: may a call whose process died run again? `client-tool`: the client runs it.',
  })
  kind!: 'tool' | 'unknown-outcome' | 'client-tool';

  @ApiProperty({ type: String, example: 'bash' })
  name!: string;

  @ApiProperty({ ...schemaOf('JsonObject'), description: 'As the model asked for it.' })
  input!: JsonObject;

  @ApiProperty({ type: String })
  reason!: string;

  @ApiProperty({ enum: ['pending', 'resolved'] })
  status!: 'pending' | 'resolved';

  @ApiProperty({ enum: ['approve', 'deny'], description: 'What is decided at `expiresAt`.' })
  onTimeout!: 'approve' | 'deny';

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: string;

  @ApiPropertyOptional({ enum: approvalDecisions })
  decision?: ApprovalDecision;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'Who decided; `deadline` or `server`: nobody.',
  })
  by?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true })
  message?: string | null;

  @ApiPropertyOptional({ ...schemaOf('JsonObject'), nullable: true })
  editedInput?: JsonObject | null;

  @ApiPropertyOptional({ type: String, format: 'date-time' })
  decidedAt?: string | undefined;
}

export class OneApprovalDto {
  @ApiProperty({ type: ApprovalDto })
  approval!: ApprovalDto;
}

export class ApprovalSessionDto implements ApprovalSession {
  @ApiPropertyOptional({ type: String, description: 'As in lists of sessions.' })
  title?: string;

  @ApiProperty({ type: String })
  projectRoot!: string;

  @ApiProperty({ type: String, description: 'The agent of the session.' })
  persona!: string;
}

export class ListedApprovalDto extends ApprovalDto implements ListedApprovalView {
  @ApiProperty({ type: ApprovalSessionDto })
  session!: ApprovalSessionDto;
}

export class ApprovalPageDto extends PageDto {
  @ApiProperty({ type: [ListedApprovalDto], description: 'In the order they were asked for.' })
  approvals!: ListedApprovalDto[];
}
