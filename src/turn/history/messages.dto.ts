import { missCauses, type MissCause } from '../budgets/cache-misses.js';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { anyJson, time, whole } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { UsageDto } from '../../http/usage.dto.js';
import {
  stepStopReasons,
  type OutputFile,
  type StepStopReason,
} from '../../storage/shapes/stored-step.js';
import type { Refused } from '../prompt/left-out-turns.js';

export class TextPartDto {
  @ApiProperty({ enum: ['text'] }) type!: 'text';

  text!: string;
}

export class ThinkingPartDto {
  @ApiProperty({ enum: ['thinking'] }) type!: 'thinking';

  text!: string;
}

export class FilePartDto {
  @ApiProperty({ enum: ['file'] }) type!: 'file';

  /** What `attachments` of a later turn may name. */
  id!: string;

  name!: string;

  /** Absent for a file that was sent. */
  path?: string;

  /** @example text/plain */
  mimeType!: string;

  /** Bytes. */
  @ApiProperty(whole) size!: number;

  /** Where its bytes are, below the server’s address. */
  url!: string;

  /** The provider refused it: requests are made without it. Absent: the model gets it. */
  leftOut?: boolean;
}

/** A file of a tool’s output. */
export class OutputFileDto implements OutputFile {
  /** What `attachments` of a later turn may name. */
  id!: string;

  name!: string;

  /**
   * As the bytes are; as the tool says where they do not tell.
   * @example audio/wav
   */
  mimeType!: string;

  /** Bytes. */
  @ApiProperty(whole) size!: number;

  /** Where its bytes are, below the server’s address. */
  url!: string;
}

export class ToolPartDto {
  @ApiProperty({ enum: ['tool'] }) type!: 'tool';

  toolUseId!: string;

  /** @example read */
  name!: string;

  /** As the model asked for it. */
  @ApiProperty(anyJson) input!: unknown;

  /**
   * `requested`: asked for, and not begun; `claimed`: it may be running, or its worker died; `success`, `error`,
   * `denied` and `unknown` are final.
   */
  status!: string;

  /** Result as the model has it; null before the end. */
  output!: string | null;

  /** Files of the result: those that the model is shown, and others for people alone. Absent: none. */
  files?: OutputFileDto[];

  /** The provider refused it: requests are made without it. Absent: the model gets it. */
  leftOut?: boolean;
}

/** A part of a message, of one of four kinds by `type`. */
export type MessagePart = TextPartDto | ThinkingPartDto | FilePartDto | ToolPartDto;

const parts = {
  text: TextPartDto,
  thinking: ThinkingPartDto,
  file: FilePartDto,
  tool: ToolPartDto,
};

/** A list of parts, one of four kinds each by `type`. */
function ApiParts(): PropertyDecorator {
  return (target, key) => {
    ApiExtraModels(...Object.values(parts))(target.constructor);
    const paths = Object.entries(parts).map(([type, part]) => [type, getSchemaPath(part)] as const);
    const oneOf = paths.map(([, $ref]) => ({ $ref }));
    const discriminator = { propertyName: 'type', mapping: Object.fromEntries(paths) };
    ApiProperty({ type: 'array', items: { oneOf, discriminator } })(target, key);
  };
}

export class NoticeDto {
  kind!: string;

  text!: string;

  /** Facts of the notice, by kind; null where it has none. */
  @ApiProperty(anyJson) metadata!: unknown;

  /** Whether the model got it, too. */
  seenByModel!: boolean;
}

/** What a model call paid for again, although the call before had it in the provider's cache. */
export class CacheMissDto {
  @ApiProperty(whole) tokens!: number;

  /** `expired`: the cache's lifetime was over. `place-changed`: the same model in another cloud. */
  @ApiProperty({ enum: missCauses }) cause!: MissCause;

  /** US dollars more than from the cache, by today's price. Absent: no price is known. */
  usd?: number;
}

export class StepDto {
  stepId!: string;

  /** From 1. */
  @ApiProperty(whole) step!: number;

  @ApiProperty({ enum: ['completed', 'abort', 'error'] })
  status!: 'completed' | 'abort' | 'error';

  @ApiProperty({ enum: stepStopReasons }) stopReason!: StepStopReason;

  usage!: UsageDto;

  /** The model that was called. Absent: an earlier version stored the step. */
  model?: string;

  /** Absent: nothing was missed; and in lists of messages. */
  cacheMiss?: CacheMissDto;

  @ApiProperty(time) startedAt!: string;

  @ApiProperty(time) endedAt!: string;

  @ApiParts() parts!: MessagePart[];

  /** After this step and before the next, to the model or to the client. */
  notices!: NoticeDto[];
}

export class StepPageDto extends PageDto {
  /** In order. */
  steps!: StepDto[];
}

export class MessageDto {
  messageId!: string;

  turnId!: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system'] }) role!: 'user' | 'assistant' | 'system';

  /**
   * `active`: its turn has not ended, so follow that; the message has no parts before the first step is whole. `cut`:
   * its turn ended before the message was complete.
   */
  @ApiProperty({ enum: ['active', 'complete', 'cut'] }) status!: 'active' | 'complete' | 'cut';

  @ApiProperty(time) createdAt!: string;

  @ApiParts() parts!: MessagePart[];

  /** A summary stands for the message when the model is called. */
  compacted?: boolean;

  /** The turn that took the place of its turn, or of one before. Absent: it is in the conversation. */
  supersededBy?: string;

  /**
   * The model is not sent the message: the provider refused the request with it, it is too long, or the model
   * declined to answer it. Absent: the model gets it.
   */
  @ApiPropertyOptional({ enum: ['refused', 'too-long', 'declined'] }) leftOut?: Refused;

  /** The step after which a steered message was delivered; absent on others. */
  @ApiPropertyOptional(whole) afterStep?: number;

  /** What a `system` message says, with its facts; absent on others. */
  notice?: NoticeDto;

  /** Model calls that an assistant’s message consists of, in order. */
  steps?: StepDto[];
}

export class MessagePageDto extends PageDto {
  /** Oldest first. */
  messages!: MessageDto[];
}
