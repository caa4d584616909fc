import * as z from 'zod/mini';

/** Injects the faults that a parent process finds; a server without one has no such provider. */
export const SOURCE_FAULTS = Symbol('SourceFaults');

const faultShape = z.object({
  /** From the folder above the one that is watched: `tools/ticket_state.ts`. */
  file: z.string(),
  line: z.optional(z.number()),
  column: z.optional(z.number()),
  /** Sentences, with the command that helps where there is one. */
  message: z.string(),
});

/** A fault of a file that the operator has changed. The version before it runs. */
export type SourceFault = z.infer<typeof faultShape>;

const messageShape = z.object({ turnpikeSourceFaults: z.array(faultShape) });

/** The message by which `turnpike dev` tells its server of faults. */
export function faultsMessage(faults: readonly SourceFault[]): object {
  return { turnpikeSourceFaults: faults };
}

/** The faults that the parent process found last. */
export class SourceFaults {
  #faults: readonly SourceFault[] = [];

  /** Listens to the parent of this process, answers when it has heard, and does not keep the process alive for that. */
  static ofParent(): SourceFaults {
    const faults = new SourceFaults();
    process.on('message', (message) => {
      faults.take(message);
      // A parent that has gone meanwhile needs no answer.
      process.send?.({ turnpikeSourceFaults: 'taken' }, undefined, undefined, () => undefined);
    });
    process.channel?.unref();
    return faults;
  }

  /** Takes a message of the parent; others than `faultsMessage` are none of its own. */
  take(message: unknown): void {
    const read = messageShape.safeParse(message);
    if (read.success) this.#faults = read.data.turnpikeSourceFaults;
  }

  list(): readonly SourceFault[] {
    return this.#faults;
  }
}
