import type { Gauge } from 'prom-client';
import type { Database } from '../storage/connection.js';

/** A number of the whole deployment, which metrics and the health of a process show. */
export interface DeploymentCount {
  /** The field of the health: its metric has the name too. */
  name: string;
  gauge: Gauge;
  /** Finds the number. Each scrape asks, so the cost must not grow with what is stored. */
  find(db: Database): Promise<number>;
}

/** The counts of this process. Features add theirs when they are loaded. */
export class DeploymentCounts {
  readonly #counts: DeploymentCount[] = [];

  register(count: DeploymentCount): void {
    this.#counts.push(count);
  }

  list(): readonly DeploymentCount[] {
    return this.#counts;
  }

  /** All counts, by their names. @throws what one of them throws. */
  async find(db: Database): Promise<Record<string, number>> {
    const found = this.#counts.map(async ({ name, find }) => [name, await find(db)] as const);
    return Object.fromEntries(await Promise.all(found));
  }
}
