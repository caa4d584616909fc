import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AttachmentError } from '../resolve-attachments.js';
import type { Uploaded, UploadedFile } from './upload-service.js';

export class UploadedFileDto implements UploadedFile {
  @ApiProperty({ type: String, description: 'The id to name in `attachments` of a turn.' })
  id!: string;

  @ApiProperty({ type: String })
  name!: string;

  @ApiProperty({ type: String, example: 'image/png' })
  mimeType!: string;

  @ApiProperty({ type: 'integer', description: 'Bytes as stored.' })
  size!: number;

  @ApiPropertyOptional({
    type: String,
    example: 'turned upright',
    description: 'The change that made the model take it; absent: none.',
  })
  changed?: string;
}

export class RefusedFileDto implements AttachmentError {
  @ApiProperty({ type: String, description: 'Name of the file.' })
  path!: string;

  @ApiProperty({ type: String })
  reason!: string;
}

export class UploadedDto implements Uploaded {
  @ApiProperty({ type: [UploadedFileDto] })
  attachments!: UploadedFileDto[];

  @ApiProperty({ type: [RefusedFileDto], description: 'Refused files.' })
  errors!: RefusedFileDto[];
}
