import { ApiProperty } from '@nestjs/swagger';
import {
  BoundedText,
  Flag,
  MayBeAbsent,
  mustBe,
  Rule,
} from '../http/fields/field-rules.decorator.js';
import { schemaOf, whole } from '../http/fields/json-schemas.js';
import { RequestForm } from '../http/request.pipe.js';
import { isPlainObject, type JsonObject } from '../platform/json.js';

@RequestForm({ closed: 'A trial' })
export class TrialDto {
  /**
   * A tool of an extension, of the folder of tools, or of an MCP server of the configuration.
   *
   * @example mcp__github__get_issue
   */
  @BoundedText({ max: 200 }) tool!: string;
  @ApiProperty({ ...schemaOf('JsonObject'), description: 'What a model would call it with.' })
  @Rule('isObject', isPlainObject, mustBe('an object'))
  input!: JsonObject;
  @MayBeAbsent()
  @Flag('A person agreed to the call, which does more than read, or which a rule asks about.')
  confirmed?: boolean;
}

@RequestForm({ closed: 'A start of a server' })
export class ServerStartDto {
  /**
   * An MCP server of the configuration.
   *
   * @example github
   */
  @BoundedText({ max: 200 }) server!: string;
}

export class TrialNoteDto {
  note!: string;
  /** Milliseconds since the call began. */
  @ApiProperty(whole) elapsedMs!: number;
}

export class TrialResultDto {
  tool!: string;
  @ApiProperty({ enum: ['success', 'error'] }) status!: 'success' | 'error';
  /** What a model would read, cut and redacted as in a turn; a file is its name, type and size. */
  output!: string;
  @ApiProperty(whole) durationMs!: number;
  /** What the tool said meanwhile, the last fifty notes. */
  progress!: TrialNoteDto[];
}
