import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { anyJson, whole } from '../../http/fields/json-schemas.js';
import type { MessagePart } from './view-steps.js';

type Part<Type extends MessagePart['type']> = Extract<MessagePart, { type: Type }>;

const leftOut = {
  type: Boolean,
  description: 'The provider refused it: requests are made without it. Absent: the model gets it.',
};

export class TextPartDto implements Part<'text'> {
  @ApiProperty({ enum: ['text'] })
  type!: 'text';

  text!: string;
}

export class ThinkingPartDto implements Part<'thinking'> {
  @ApiProperty({ enum: ['thinking'] })
  type!: 'thinking';

  text!: string;
}

export class FilePartDto implements Part<'file'> {
  @ApiProperty({ enum: ['file'] })
  type!: 'file';

  /** What `attachments` of a later turn may name. */
  id!: string;

  name!: string;

  /** Absent for a file that was sent. */
  path?: string;

  /** @example text/plain */
  mimeType!: string;

  /** Bytes. */
  @ApiProperty(whole)
  size!: number;

  /** Where its bytes are, below the server’s address. */
  url!: string;

  @ApiPropertyOptional(leftOut)
  leftOut?: boolean;
}

export class ToolPartDto implements Part<'tool'> {
  @ApiProperty({ enum: ['tool'] })
  type!: 'tool';

  toolUseId!: string;

  /** @example read */
  name!: string;

  /** As the model asked for it. */
  @ApiProperty(anyJson)
  input!: unknown;

  /**
   * `requested`: asked for, and not begun; `claimed`: it may be running, or its worker died; `success`, `error`,
   * `denied` and `unknown` are final.
   */
  status!: string;

  /** Result as the model has it; null before the end. */
  output!: string | null;

  @ApiPropertyOptional(leftOut)
  leftOut?: boolean;
}

const parts = {
  text: TextPartDto,
  thinking: ThinkingPartDto,
  file: FilePartDto,
  tool: ToolPartDto,
};

/** A list of parts, one of four kinds each by `type`. */
export function ApiParts(): PropertyDecorator {
  return (target, key) => {
    ApiExtraModels(...Object.values(parts))(target.constructor);
    const paths = Object.entries(parts).map(([type, part]) => [type, getSchemaPath(part)] as const);
    const oneOf = paths.map(([, $ref]) => ({ $ref }));
    const discriminator = { propertyName: 'type', mapping: Object.fromEntries(paths) };
    ApiProperty({ type: 'array', items: { oneOf, discriminator } })(target, key);
  };
}
