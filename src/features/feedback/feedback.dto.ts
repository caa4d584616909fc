import { ApiProperty } from '@nestjs/swagger';
import {
  BoundedText,
  MayBeNull,
  mustBe,
  NumberFilter,
  PageDto,
  PageQueryDto,
  RequestForm,
  Rule,
  TextFilter,
  time,
  TimeFilter,
  TurnIdDto,
} from '../../http/face.js';
import type { feedback, FeedbackValue } from '../../storage/schema.js';
import { isStorable } from '../../storage/connection.js';

const MAX_VALUE_CHARS = 500;
const MAX_COMMENT_CHARS = 4_000;
const valueSchema = {
  oneOf: [
    { type: 'boolean' },
    { type: 'number' },
    { type: 'string', minLength: 1, maxLength: MAX_VALUE_CHARS },
  ],
};
const aValue = mustBe(`true, false, a number, or a text of 1 to ${MAX_VALUE_CHARS} characters`);

function Key() {
  return BoundedText({
    max: 64,
    pattern: /^[\w.-]{1,64}$/,
    expected: "1 to 64 letters, digits, '.', '_' and '-'",
    description: 'What is judged, as `helpful`.',
  });
}

export class FeedbackKeyDto extends TurnIdDto {
  @Key() key!: string;
}

@RequestForm({ closed: 'Feedback' })
export class GivenFeedbackDto {
  @Key() key!: string;

  /** The judgement. */
  @ApiProperty(valueSchema)
  @Rule('isValue', isValue, aValue)
  value!: FeedbackValue;

  /** Words to it. */
  @MayBeNull()
  @BoundedText({ max: MAX_COMMENT_CHARS })
  comment?: string | null;

  /** Message of the turn that it is about. Default: the turn. */
  @MayBeNull()
  @BoundedText({ max: 100 })
  messageId?: string | null;
}

@RequestForm({ closed: 'The query' })
export class FeedbackQueryDto extends PageQueryDto {
  @TextFilter('Feedback of this key.', 64) key?: string | undefined;

  @NumberFilter('Least value; true counts as 1, false as 0, and texts are left out.')
  min?: number | undefined;

  @NumberFilter('Greatest value.') max?: number | undefined;

  @TextFilter('Exactly this value, as text.', MAX_VALUE_CHARS) value?: string | undefined;

  @TextFilter('Turns of this agent.', 200) agent?: string | undefined;

  @TextFilter('Turns of this model.', 200) model?: string | undefined;

  @TimeFilter('Given at this time or later.') since?: string | undefined;

  @TimeFilter('Given before this time.') until?: string | undefined;
}

/** What a list of feedback is filtered by; every field may be left out. */
export interface FeedbackQueryFields {
  key?: string;
  /** Numbers, also as text. */
  min?: number | string;
  max?: number | string;
  value?: string;
  agent?: string;
  model?: string;
  /** Times in UTC, ISO-8601. */
  since?: string;
  until?: string;
  /** Entries of the page, up to 200. Default: 50. */
  limit?: number | string;
  /** `nextCursor` of the page before. */
  cursor?: string;
}

/** Feedback as its principal sees it. */
export class FeedbackDto {
  turnId!: string;
  key!: string;

  @ApiProperty(valueSchema) value!: FeedbackValue;

  comment!: string | null;

  /** Null: it is about the turn. */
  messageId!: string | null;

  /** Agent of the turn. */
  agent!: string;

  /** Model of the turn. */
  model!: string;

  @ApiProperty(time) createdAt!: string;

  @ApiProperty(time) updatedAt!: string;
}

export class OneFeedbackDto {
  feedback!: FeedbackDto;
}

export class FeedbackListDto {
  feedback!: FeedbackDto[];
}

export class FeedbackPageDto extends PageDto {
  feedback!: FeedbackDto[];
}

export type FeedbackRow = typeof feedback.$inferSelect;

export function viewFeedback(row: FeedbackRow): FeedbackDto {
  const { turnId, key, value, comment, messageId, agent, model, createdAt, updatedAt } = row;
  return {
    turnId,
    key,
    value,
    comment,
    messageId,
    agent,
    model,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function isValue(value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'string' || !isStorable(value)) return false;
  const { length } = Array.from(value);
  return length >= 1 && length <= MAX_VALUE_CHARS;
}
