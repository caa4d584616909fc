import type { ExtractionBudget } from '../extracted-text.js';
import type {
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  Refused,
  TextOutcome,
  TextSource,
} from '../outcomes.js';

/** A job for an extractor process, on one file. */
export type ExtractionJob =
  | ({ kind: 'text'; source: TextSource } & ExtractionBudget)
  | ({ kind: 'image-text' } & ExtractionBudget)
  | { kind: 'pages' }
  | ({ kind: 'fit-image' } & ImageLimits);

interface Outcomes {
  text: TextOutcome;
  'image-text': TextOutcome;
  pages: PdfOutcome;
  'fit-image': ImageOutcome;
}

export type OutcomeOf<Job extends ExtractionJob> = Outcomes[Job['kind']];
export type ExtractionOutcome = Outcomes[keyof Outcomes];

/** A job and its files. Content goes through files: the IPC channel would block while it copies. */
export interface ExtractionRequest {
  job: ExtractionJob;
  /** Path of the file to extract from. */
  file: string;
  /** Path for a file that the job makes. */
  made: string;
}

/** The outcome, except that a changed image's content is in the made file. */
export type ExtractionAnswer =
  | Exclude<ExtractionOutcome, { type: 'changed' | 'refused' }>
  /** `fault` is the parser's error, for the log alone. */
  | (Refused & { fault?: string })
  | Omit<Extract<ExtractionOutcome, { type: 'changed' }>, 'content'>;
