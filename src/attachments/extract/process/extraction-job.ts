import type { ExtractionBudget } from '../extracted-text.js';
import type {
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  Refused,
  TextOutcome,
  TextSource,
} from '../outcomes.js';

/** What a reader process is asked to do with one file. */
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

/** Content goes through files: a channel between processes would block while it copies. */
export interface ExtractionRequest {
  job: ExtractionJob;
  /** The file to read. */
  file: string;
  /** Where to put a file that is made. */
  made: string;
}

/** As the outcome, with a changed image's content in the file that was made. */
export type ExtractionAnswer =
  | Exclude<ExtractionOutcome, { type: 'changed' | 'refused' }>
  /** `fault` is what a parser said, for the log alone. */
  | (Refused & { fault?: string })
  | Omit<Extract<ExtractionOutcome, { type: 'changed' }>, 'content'>;
