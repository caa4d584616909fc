import { RequestForm } from '../../http/request.pipe.js';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Allow, IsBoolean, IsIn, IsOptional, MaxLength } from 'class-validator';
import { anyJson, time, schemaOf, whole } from '../../http/fields/json-schemas.js';
import {
  OptionalId,
  OptionalText,
  Trimmed,
  says,
} from '../../http/fields/field-rules.decorator.js';
import { PageLimit, PageDto } from '../../http/paging/page-query.dto.js';
import type { JsonObject } from '../../platform/json.js';
import {
  approvalDecisions,
  type ApprovalDecision,
  type ApprovalKind,
} from '../../storage/governance-schema.js';

import type { AnswerRow } from './approver-answers.js';
import { digestCall, foldAnswers } from './fold-answers.js';
import { decisions, type ApprovalRow, type Decision, MAX_DENIAL_CHARS } from './approval-writes.js';

/** An answer, before it is checked against its approval (`validate-answer.ts`). */
export class AnswerDto {
  /**
   * `approve-session`: and every such call of the session after it. Of a tool of the client: `answer` or `deny`. Of a
   * question that a call asks: `answer` with `content`, `deny`, or `cancel`, which closes it without an answer.
   *
   * @example approve
   */
  @ApiProperty({ enum: decisions })
  @Trimmed()
  @IsIn(decisions, says(`Missing or invalid '$field': one of ${decisions.join(', ')}`))
  decision!: Decision;

  @OptionalText('With deny: the message to the model.', 'Write to docs/ instead.')
  @MaxLength(MAX_DENIAL_CHARS, says(`'$field' must have at most ${MAX_DENIAL_CHARS} characters`))
  message?: string;

  /** With an approval: what the tool runs with in place of what the model asked for. */
  @ApiPropertyOptional(anyJson)
  @Allow()
  input?: unknown;

  @OptionalText(
    'With approve-session: the rule that is allowed from then on, which must cover this call. Default: this very call.',
    'bash(git status*)',
  )
  @MaxLength(500, says("'$field' must have at most 500 characters"))
  rule?: string;

  /** With answer: what the client’s tool gave. Text, or JSON that the model reads. */
  @ApiPropertyOptional(anyJson)
  @Allow()
  output?: unknown;

  /** With answer: whether the tool failed. */
  @ApiPropertyOptional({ type: Boolean })
  @IsOptional()
  @IsBoolean()
  isError?: boolean;

  /** With answer, of a question that a call asks: an object that fits the schema in its `question`. */
  @ApiPropertyOptional(schemaOf('JsonObject'))
  @Allow()
  content?: unknown;
}

const statuses = ['pending', 'all'] as const;

@RequestForm({ closed: 'The query' })
export class ApprovalQueryDto {
  @OptionalId('sess', 'With those of its subagents.') sessionId?: string | undefined;

  @OptionalId('turn', 'Approvals of one turn.') turnId?: string | undefined;

  @ApiPropertyOptional({ enum: statuses, default: 'pending' })
  @IsIn(statuses, says("Missing or invalid '$field': pending or all"))
  status: (typeof statuses)[number] = 'pending';

  @OptionalId('appr', '`nextCursor` of the page before.') cursor?: string | undefined;

  @PageLimit({ standard: 50, most: 200 }) limit = 50;
}

/** People whom an approval awaits. */
export class AwaitedPeopleDto {
  /** Roles of approvers; each person has one of them. */
  @ApiProperty({ type: [String], example: ['release'] }) by!: readonly string[];
  /** How many people approve. */
  @ApiProperty({ ...whole, minimum: 1 }) count!: number;
  /** Whether the person whose turn asks does not count. */
  notRequester!: boolean;
  /** How many have approved so far. */
  @ApiProperty(whole) approved!: number;
}

/** An answer of one of the people whom an approval awaits. */
export class ApproverAnswerDto {
  /** The principal. */
  by!: string;
  @ApiProperty({ enum: ['approve', 'deny'] }) decision!: 'approve' | 'deny';
  /** Roles that the person answered with. */
  @ApiProperty({ type: [String], example: ['release'] }) as!: string[];
  @ApiProperty(time) at!: string;
}

/** An approval as clients see it. */
export class ApprovalDto {
  /** @example appr_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11 */
  approvalId!: string;
  turnId!: string;
  sessionId!: string;

  /** The call it is about. */
  toolUseId!: string;

  /**
   * `unknown-outcome`: may a call whose process died run again? `client-tool`: the client runs it. `elicitation`: the
   * call asks, see `question`. `mcp-authorize`: will the person log in at the MCP server of the call? More may come.
   */
  @ApiProperty({ enum: ['tool', 'unknown-outcome', 'client-tool', 'elicitation', 'mcp-authorize'] })
  kind!: ApprovalKind;

  /** @example bash */
  name!: string;

  /** As the model asked for it. */
  @ApiProperty(schemaOf('JsonObject')) input!: JsonObject;

  reason!: string;

  /** What the call asks, by kind: the server and its message with a schema or a link, or the scopes of a log-in. */
  @ApiPropertyOptional(schemaOf('JsonObject'))
  question?: JsonObject;

  @ApiProperty({ enum: ['pending', 'resolved'] }) status!: 'pending' | 'resolved';

  /** What is decided at `expiresAt`. */
  @ApiProperty({ enum: ['approve', 'deny'] }) onTimeout!: 'approve' | 'deny';

  @ApiProperty(time) createdAt!: string;

  @ApiProperty(time) expiresAt!: string;

  @ApiPropertyOptional({ enum: approvalDecisions }) decision?: ApprovalDecision;

  /** Who decided; `approvers`: those that it awaited; `deadline` or `server`: nobody. */
  by?: string | null;

  message?: string | null;

  @ApiPropertyOptional({ ...schemaOf('JsonObject'), nullable: true })
  editedInput?: JsonObject | null;

  @ApiPropertyOptional(time) decidedAt?: string | undefined;

  /** Who decides, where a rule says so: all of these. Absent: the principal of the session. */
  awaits?: AwaitedPeopleDto[];

  /** With `awaits`: the answers so far, in the order they came. */
  answers?: ApproverAnswerDto[];
}

export class OneApprovalDto {
  approval!: ApprovalDto;
}

/** The session of an approval. */
export class ApprovalSessionDto {
  /** As in lists of sessions. */
  title?: string;

  projectRoot!: string;

  /** The agent of the session. */
  persona!: string;
}

export class ListedApprovalDto extends ApprovalDto {
  session!: ApprovalSessionDto;
}

export class ApprovalPageDto extends PageDto {
  /** In the order they were asked for. */
  approvals!: ListedApprovalDto[];
}

/** A call that others decide about, as those see it: the call, and nothing else of its session. */
export class AwaitedApprovalDto extends PickType(ApprovalDto, [
  'approvalId',
  'kind',
  'name',
  'input',
  'reason',
  'status',
  'onTimeout',
  'createdAt',
  'expiresAt',
  'decision',
  'by',
  'message',
  'decidedAt',
] as const) {
  /** The agent that calls. */
  agent!: string;
  /** The principal whose turn asks; the call runs as this one. */
  requester!: string;
  /** Who decides: all of these. */
  awaits!: AwaitedPeopleDto[];
  /** In the order they came. */
  answers!: ApproverAnswerDto[];
  /** Whether the caller is one of those whom it still awaits. */
  isAwaitingMe!: boolean;
}

export class OneAwaitedApprovalDto {
  approval!: AwaitedApprovalDto;
}

export class AwaitedApprovalPageDto extends PageDto {
  /** In the order they were asked for. */
  approvals!: AwaitedApprovalDto[];
}

@RequestForm({ closed: 'The query' })
export class AwaitedApprovalQueryDto {
  @OptionalId('appr', '`nextCursor` of the page before.') cursor?: string | undefined;

  @PageLimit({ standard: 50, most: 200 }) limit = 50;
}

/** Whom an approval awaits, with how far it is. */
export function viewAwaits(
  approval: ApprovalRow,
  requester: string,
  allAnswers: readonly AnswerRow[],
): { awaits: AwaitedPeopleDto[]; answers: ApproverAnswerDto[] } {
  const awaits = approval.awaits ?? [];
  const answers = allAnswers.filter(({ approvalId }) => approvalId === approval.id);
  const { approved } = foldAnswers({ awaits, requester, digest: digestCall(approval) }, answers);
  return {
    awaits: awaits.map((quorum, place) => ({ ...quorum, approved: approved[place] ?? 0 })),
    answers: answers.map(({ principalId: by, decision, roles, at }) => ({
      by,
      decision,
      as: roles,
      at: at.toISOString(),
    })),
  };
}

export function viewApproval(approval: ApprovalRow): ApprovalDto {
  const { decision, decidedBy: by, message, editedInput } = approval;
  return {
    approvalId: approval.id,
    turnId: approval.turnId,
    sessionId: approval.sessionId,
    toolUseId: approval.callId,
    kind: approval.kind,
    name: approval.name,
    input: approval.input,
    reason: approval.reason,
    ...(approval.question === null ? {} : { question: approval.question }),
    status: decision === null ? 'pending' : 'resolved',
    onTimeout: approval.onTimeout,
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    ...(decision === null
      ? {}
      : { decision, by, message, editedInput, decidedAt: approval.decidedAt?.toISOString() }),
  };
}
