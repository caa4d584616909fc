import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { LOCAL_USER } from '../access/principal.js';

/** Granularity of reservations, in bytes. */
const UNIT_BYTES = 64 * 1024;
const MIB = 1024 * 1024;
/** Share of the memory that the turns of one principal may reserve: the rest is for others. */
const MAX_SHARE = 0.75;

interface Request {
  principalId: string;
  units: number;
  isAdmitted: boolean;
  /** Resolves what waits for it. */
  admit(): void;
}

/**
 * Reservations of memory for the files of a process's running turns; a turn waits while there is
 * too little.
 */
@Injectable()
export class FileMemory {
  readonly #units: number;
  #free: number;
  /** Reserved units by principal. */
  readonly #reserved = new Map<string, number>();
  readonly #queue: Request[] = [];

  /** @param config limit of all reservations; a turn that needs more waits until it is alone. */
  constructor(@Inject(CONFIG) { attachmentMemoryMb }: Pick<Config, 'attachmentMemoryMb'>) {
    this.#units = Math.max(1, Math.floor((attachmentMemoryMb * MIB) / UNIT_BYTES));
    this.#free = this.#units;
  }

  /**
   * Reserves memory, and waits for it where there is too little: first for the principal with the least
   * reserved, whose turns are served in order. The turns of one principal never reserve all of it
   * together, but one turn may.
   *
   * @returns a function that releases the reservation; called once.
   * @throws what `wait` throws; nothing is reserved then.
   */
  async reserve(bytes: number, { principalId, wait }: Requester): Promise<() => void> {
    const units = Math.min(this.#units, Math.ceil(bytes / UNIT_BYTES));
    if (units === 0) return () => undefined;
    const request: Request = { principalId, units, isAdmitted: false, admit: () => undefined };
    const admitted = new Promise<void>((resolve) => {
      request.admit = resolve;
    });
    const release = (): void => {
      if (request.isAdmitted) this.#take(principalId, -units);
      else this.#queue.splice(this.#queue.indexOf(request), 1);
      this.#admit();
    };
    this.#queue.push(request);
    this.#admit();
    if (request.isAdmitted) return release;
    try {
      await wait(() => admitted);
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  #admit(): void {
    for (;;) {
      const next = this.#next();
      // The next request blocks smaller ones behind it, which would otherwise starve it.
      if (next === undefined || next.units > this.#free) return;
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#take(next.principalId, next.units);
      next.isAdmitted = true;
      next.admit();
    }
  }

  #next(): Request | undefined {
    let best: Request | undefined;
    const seen = new Set<string>();
    for (const request of this.#queue) {
      const isFirstOfPrincipal = !seen.has(request.principalId);
      seen.add(request.principalId);
      if (!isFirstOfPrincipal || !this.#mayReserve(request)) continue;
      const isBetter =
        best === undefined ||
        this.#reservedBy(request.principalId) < this.#reservedBy(best.principalId);
      if (isBetter) best = request;
    }
    return best;
  }

  #mayReserve({ principalId, units }: Request): boolean {
    const reserved = this.#reservedBy(principalId);
    return reserved === 0 || reserved + units <= this.#units * MAX_SHARE;
  }

  #reservedBy(principalId: string): number {
    return this.#reserved.get(principalId) ?? 0;
  }

  #take(principalId: string, units: number): void {
    this.#free -= units;
    const reserved = this.#reservedBy(principalId) + units;
    if (reserved === 0) this.#reserved.delete(principalId);
    else this.#reserved.set(principalId, reserved);
  }
}

/** The principal on whose behalf files are extracted, or memory for them is reserved. */
export interface Requester {
  /** Capacity is shared fairly by this id. */
  principalId: string;
  /**
   * Runs a wait for capacity: a turn may give up its worker slot meanwhile, or reject to stop
   * waiting.
   */
  wait<T>(work: () => Promise<T>): Promise<T>;
}

export const localRequester: Requester = { principalId: LOCAL_USER, wait: (work) => work() };
