import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { AfterQueryDto } from '../../http/paging/page-query.dto.js';
import { EmptyIsAbsent, Rule } from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { isId } from '../../platform/ids.js';

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
