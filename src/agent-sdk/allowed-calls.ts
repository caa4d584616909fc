/** A call that was allowed. */
interface AllowedCall {
  /** Resolves once its result came. */
  ended: Promise<void>;
  end: () => void;
}

/**
 * Calls of a turn that a program allowed, until they have results. The server asks about all calls of a reply at once, and
 * runs them in their order: a program that stops the turn at one of them has allowed those before it.
 */
export class AllowedCalls {
  readonly #calls = new Map<string, AllowedCall>();

  /** Notes a call that is to run. */
  allow(id: string): void {
    if (this.#calls.has(id)) return;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.#calls.set(id, { ended, end });
  }

  /** Notes the result of a call, whether it was asked about or not. */
  end(id: string): void {
    this.allow(id);
    this.#calls.get(id)?.end();
  }

  /** No more results come: nobody waits for one. */
  endAll(): void {
    for (const { end } of this.#calls.values()) end();
  }

  /**
   * Waits until those calls before one have results that are going to have some: not those behind a call that nobody has
   * allowed.
   *
   * @param calls ids of all calls of the turn, in their order.
   */
  async endOfThose(calls: Iterable<string>, before: string): Promise<void> {
    const all = [...calls];
    const earlier = all.slice(0, Math.max(all.indexOf(before), 0)).map((id) => this.#calls.get(id));
    for (const call of earlier) {
      if (call === undefined) return;
      await call.ended;
    }
  }
}
