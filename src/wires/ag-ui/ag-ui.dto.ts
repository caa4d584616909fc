import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { IsString, MaxLength } from 'class-validator';
import {
  AfterQueryDto,
  EmptyIsAbsent,
  jsonObject,
  jsonObjects,
  mustBe,
  Rule,
} from '../../http/face.js';
import { isId } from '../../platform/face.js';

/** The DTO is for the documentation: `readRunInput` checks the body. */
export class RunAgentInputDto {
  /** The conversation, as the client names it. It begins with its first run. */
  @ApiProperty({ type: String, maxLength: 256 }) threadId!: string;

  /** A run that is sent again with its id joins the first one. */
  @ApiProperty({ type: String, maxLength: 200 }) runId!: string;

  /**
   * The conversation. The user’s messages after the assistant’s last one are the new message; tools’ messages there
   * are the output of tools of the client. Messages of `system` and `developer` are what the application says, as
   * `context` is. What came before is read where the server does not have the thread.
   */
  @ApiProperty(jsonObjects) messages!: object[];

  /** Tools that the client runs. */
  @ApiPropertyOptional(jsonObjects) tools?: object[];

  /** `{description, value}`: what the application says to the model beside the user, for this run’s turn alone. */
  @ApiPropertyOptional(jsonObjects) context?: object[];

  /** Given back with `turnpike` in it. */
  @ApiPropertyOptional(jsonObject) state?: object;

  /** `{interruptId, status, payload?}`; the payload of an approval: `{approved, reason?, editedArgs?}`. */
  @ApiPropertyOptional(jsonObjects) resume?: object[];

  /**
   * `turnpike: {opts?, projectRoot?, keepsFiles?}`: options of the turn; folder of a new thread; whether a message
   * without files has those of the turn that it replaces. Default: true.
   */
  @ApiPropertyOptional(jsonObject) forwardedProps?: object;
}

const MAX_CHARS = 4_000;
const words = mustBe(`given once, with at most ${MAX_CHARS} characters`);

function AddressPart() {
  return applyDecorators(
    ApiProperty({ type: 'string', maxLength: MAX_CHARS }),
    EmptyIsAbsent(),
    IsString(words),
    MaxLength(MAX_CHARS, words),
  );
}

function isListOfAnswers(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return value.split(',').every((id) => isId('appr', id) || isId('msg', id));
}

/** The parts of a run's address, as its `Location` has them (`runUrl`). */
export class RunQueryDto extends AfterQueryDto {
  /** The thread. Default: the session. */
  @AddressPart() thread?: string;

  /** The run. Default: the turn. */
  @AddressPart() run?: string;

  /** Ids of what the run answered, with commas between them. */
  @AddressPart()
  @Rule(
    'isListOfAnswers',
    isListOfAnswers,
    mustBe('ids of approvals or of a joined message, with commas between them'),
  )
  answers?: string;

  /** `turn`: from the turn’s beginning, not from the answers. `questions`: with what the turn asks. */
  @AddressPart() from?: string;

  /** `1`: the stream begins with the history. */
  @AddressPart() history?: string;

  /** `1`: the run was taken before. */
  @AddressPart() old?: string;
}
