/** The outcome of a request for a turn, sent in `X-Turn-Disposition`. */
export type Disposition =
  | { type: 'started' }
  /** A repeat of an earlier request, whose turn this is. */
  | { type: 'repeated' }
  /** Held behind others of its session; the next one has position 1. */
  | { type: 'enqueued'; position: number }
  /** The turn goes next: the turn before it is being interrupted, or has just ended. */
  | { type: 'interrupting'; turnId: string | undefined }
  /** The message was steered into this turn, which is running. */
  | { type: 'steered'; messageId: string };

/** Disposition as a header's value: `enqueued; position=2`. */
export function describeDisposition(disposition: Disposition): string {
  switch (disposition.type) {
    case 'started':
    case 'repeated':
      return disposition.type;
    case 'enqueued':
      return `enqueued; position=${disposition.position}`;
    case 'interrupting':
      return disposition.turnId === undefined
        ? 'interrupting'
        : `interrupting; turn=${disposition.turnId}`;
    case 'steered':
      return `steered; message=${disposition.messageId}`;
  }
}
