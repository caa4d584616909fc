import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { whole } from '../../http/fields/json-schemas.js';
import type { AttachmentError } from '../resolve-attachments.js';

export class UploadedFileDto {
  /** The id to name in `attachments` of a turn. */
  id!: string;
  name!: string;
  /** @example image/png */
  mimeType!: string;
  /** Bytes as stored. */
  @ApiProperty(whole) size!: number;
  /** The change that made the model take it; absent: none. */
  @ApiPropertyOptional({ type: String, example: 'turned upright' }) changed?: string;
}

export class RefusedFileDto implements AttachmentError {
  /** Name of the file. */
  path!: string;
  reason!: string;
}

export class UploadedDto {
  attachments!: UploadedFileDto[];
  /** Refused files. */
  errors!: RefusedFileDto[];
}
