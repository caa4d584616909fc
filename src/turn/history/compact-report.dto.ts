export class CompactReportDto {
  compacted!: boolean;

  /** Absent where there was nothing to compact. */
  summary?: string;

  /** The last turn that the summary stands for. */
  throughTurnId?: string;
}
