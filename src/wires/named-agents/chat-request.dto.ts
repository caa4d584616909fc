import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, IsString, Matches } from 'class-validator';
import { CharacterCount } from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { fromUlid, ulidPattern } from '../../http/fields/ulid-form.js';

/** A file of a chat in JSON. It is taken while the body is received: see `receiveJson`. */
export class ChatFileDto {
  @ApiProperty({ type: String, format: 'byte', description: 'Base64, at most 10 MiB decoded.' })
  content!: string;

  @ApiProperty({ type: String, description: 'Not trusted: the content says what it is.' })
  mime_type!: string;

  @ApiPropertyOptional({ type: String })
  filename?: string;
}

const LONGEST_MESSAGE = 10_000;

const messageWords = mustBe(
  `a text of 1 to ${LONGEST_MESSAGE.toLocaleString('en')} characters; send more of it as a file`,
);

/** A chat (contract: holodeck, section 1), as JSON or as the fields of a form. */
export class ChatRequestDto {
  @ApiProperty({ type: String, minLength: 1, maxLength: LONGEST_MESSAGE })
  @IsString(messageWords)
  @CharacterCount({ min: 1, max: LONGEST_MESSAGE }, messageWords)
  message!: string;

  /** In the server's form. What is no id of a session begins a new one (section 2). */
  @ApiPropertyOptional({
    type: String,
    pattern: ulidPattern.source,
    description:
      'The session to go on in. Without one, with what is none and with one that has expired, a new one.',
  })
  @Transform(({ value }: { value: unknown }) =>
    // A ULID means the same in small letters.
    typeof value === 'string' ? fromUlid('sess', value.toUpperCase()) : undefined,
  )
  @Allow()
  session_id?: string;

  @ApiPropertyOptional({
    type: [ChatFileDto],
    maxItems: 10,
    description:
      'png, jpeg, gif, webp, pdf, docx, xlsx, pptx, txt, csv or md. As form data: files of at most 50 MiB in fields named `files`.',
  })
  files?: ChatFileDto[];
}

const ulid = mustBe('a ULID: 26 of the digits and capital letters without I, L, O and U');

/** The path of an agent, as the client spells its name. */
export class AgentParamsDto {
  @ApiProperty({ type: String, description: 'Name of the agent.', example: 'WORKING_ITEMS' })
  @IsString()
  name!: string;
}

/** The path of an answer of an agent. */
export class MessageParamsDto extends AgentParamsDto {
  @ApiProperty({ type: String, pattern: ulidPattern.source, description: 'ULID of the answer.' })
  @Matches(ulidPattern, ulid)
  messageId!: string;
}

/** The path of a session of an agent. */
export class SessionParamsDto {
  @ApiProperty({ type: String, pattern: ulidPattern.source, description: 'ULID of the session.' })
  @Matches(ulidPattern, ulid)
  session_id!: string;
}
