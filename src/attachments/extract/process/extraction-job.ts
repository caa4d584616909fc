import type { ReadBudget } from '../text-found.js';
import type {
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  Refused,
  TextOutcome,
  TextSource,
} from '../outcomes.js';

/** What a reader process is asked to do with one file. */
export type ReaderJob =
  | ({ kind: 'text'; source: TextSource } & ReadBudget)
  | ({ kind: 'image-text' } & ReadBudget)
  | { kind: 'pages' }
  | ({ kind: 'fit-image' } & ImageLimits);

interface Outcomes {
  text: TextOutcome;
  'image-text': TextOutcome;
  pages: PdfOutcome;
  'fit-image': ImageOutcome;
}

export type OutcomeOf<Job extends ReaderJob> = Outcomes[Job['kind']];
export type ReaderOutcome = Outcomes[keyof Outcomes];

/** Content goes through files: a channel between processes would block while it copies. */
export interface ReaderRequest {
  job: ReaderJob;
  /** The file to read. */
  file: string;
  /** Where to put a file that is made. */
  made: string;
}

/** As the outcome, with a changed image's content in the file that was made. */
export type ReaderAnswer =
  | Exclude<ReaderOutcome, { type: 'changed' | 'refused' }>
  /** `fault` is what a parser said, for the log alone. */
  | (Refused & { fault?: string })
  | Omit<Extract<ReaderOutcome, { type: 'changed' }>, 'content'>;
