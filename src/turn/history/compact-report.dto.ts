import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { CompactReport } from './session-compactor.js';

export class CompactReportDto implements CompactReport {
  @ApiProperty({ type: Boolean })
  compacted!: boolean;

  @ApiPropertyOptional({ type: String, description: 'Absent where there was nothing to compact.' })
  summary?: string;

  @ApiPropertyOptional({ type: String, description: 'The last turn that the summary stands for.' })
  throughTurnId?: string;
}
