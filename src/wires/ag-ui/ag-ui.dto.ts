import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { IsString, MaxLength } from 'class-validator';
import { jsonObject, jsonObjects } from '../../http/fields/json-schemas.js';
import { AfterQueryDto } from '../../http/paging/page-query.dto.js';
import { EmptyIsAbsent, Rule } from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { isId } from '../../platform/ids.js';

/** The DTO is for the documentation: `parseRunInput` checks the body. */
export class RunAgentInputDto {
  @ApiProperty({
    type: String,
    maxLength: 256,
    description: 'The conversation, as the client names it. It begins with its first run.',
  })
  threadId!: string;

  @ApiProperty({
    type: String,
    maxLength: 200,
    description: 'A run that is sent again with its id joins the first one.',
  })
  runId!: string;

  @ApiProperty({
    ...jsonObjects,
    description:
      'The conversation. The user’s messages after the assistant’s last one are the new message; tools’ messages there are the output of tools of the client. Messages of `system` and `developer` are what the application says, as `context` is. What came before is read where the server does not have the thread.',
  })
  messages!: object[];

  @ApiPropertyOptional({ ...jsonObjects, description: 'Tools that the client runs.' })
  tools?: object[];

  @ApiPropertyOptional({
    ...jsonObjects,
    description:
      '`{description, value}`: what the application says to the model beside the user, for this run’s turn alone.',
  })
  context?: object[];

  @ApiPropertyOptional({ ...jsonObject, description: 'Given back with `turnpike` in it.' })
  state?: object;

  @ApiPropertyOptional({
    ...jsonObjects,
    description:
      '`{interruptId, status, payload?}`; the payload of an approval: `{approved, reason?, editedArgs?}`.',
  })
  resume?: object[];

  @ApiPropertyOptional({
    ...jsonObject,
    description: '`turnpike: {opts?, projectRoot?}`: options of the turn; folder of a new thread.',
  })
  forwardedProps?: object;
}

const MOST_CHARACTERS = 4_000;
const words = mustBe(`given once, with at most ${MOST_CHARACTERS} characters`);

function AddressPart(description: string) {
  return applyDecorators(
    ApiProperty({ type: 'string', maxLength: MOST_CHARACTERS, description }),
    EmptyIsAbsent(),
    IsString(words),
    MaxLength(MOST_CHARACTERS, words),
  );
}

function isListOfAnswers(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return value.split(',').every((id) => isId('appr', id) || isId('msg', id));
}

/** The parts of a run's address, as its `Location` has them (`run-url.ts`). */
export class RunQueryDto extends AfterQueryDto {
  @AddressPart('The thread. Default: the session.')
  thread?: string;

  @AddressPart('The run. Default: the turn.')
  run?: string;

  @AddressPart('Ids of what the run answered, with commas between them.')
  @Rule(
    'isListOfAnswers',
    isListOfAnswers,
    mustBe('ids of approvals or of a joined message, with commas between them'),
  )
  answers?: string;

  @AddressPart(
    '`turn`: from the turn’s beginning, not from the answers. `questions`: with what the turn asks.',
  )
  from?: string;

  @AddressPart('`1`: the stream begins with the history.')
  history?: string;

  @AddressPart('`1`: the run was taken before.')
  old?: string;
}
