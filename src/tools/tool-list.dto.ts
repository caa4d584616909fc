import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { schemaOf } from '../http/fields/type-schema.js';
import type { JsonObject } from '../platform/json.js';
import type { ListedTool } from './tool-list-service.js';

class ListedToolDto implements ListedTool {
  @ApiProperty({ type: String })
  name!: string;

  @ApiProperty({ type: String })
  description!: string;

  @ApiProperty({ enum: ['read', 'edit', 'command'] })
  effect!: ListedTool['effect'];

  @ApiProperty({
    enum: ['safe', 'idempotent', 'never'],
    description: 'Whether a call whose outcome was lost may run again.',
  })
  retry!: ListedTool['retry'];

  @ApiProperty({ ...schemaOf('JsonObject'), description: 'JSON Schema.' })
  inputSchema!: JsonObject;

  @ApiProperty({ enum: ['builtin', 'extension', 'mcp', 'provider'] })
  source!: ListedTool['source'];
}

export class ToolPageDto {
  @ApiProperty({ type: [ListedToolDto] })
  tools!: ListedToolDto[];

  @ApiPropertyOptional({ type: String })
  nextCursor?: string;
}
