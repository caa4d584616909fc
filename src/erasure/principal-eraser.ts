import { realpath, rm } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../access/audit-log.js';
import { KEY_FRESH_MS, KnownKeys } from '../access/known-keys.js';
import { isTypedError } from '../errors/typed-error.js';
import { CLOCK, pause, type Clock } from '../platform/clock.js';
import { closing, HeldFolder, unlessGone } from '../platform/files/held-folder.js';
import { ProjectRoots } from '../session/project-roots.js';
import { SessionCloser } from '../turn/lifecycle/session-closer.js';
import { PrincipalCopies } from './principal-copies.js';
import { FORGOTTEN, PrincipalRows, type PrincipalCounts } from './principal-rows.js';

/** A principal's data, before or after its erasure. */
export interface PrincipalReport extends PrincipalCounts {
  /** The folder for the principal's projects, which is deleted where that was asked for. */
  projectFolder: string;
}

export interface ForgetOptions {
  /** Whether the principal's project folder is deleted too. */
  projects: boolean;
  /** The principal who forgets, for the audit log. */
  by: string;
}

/** Deletes all that is stored of a principal. */
@Injectable()
export class PrincipalEraser {
  constructor(
    private readonly rows: PrincipalRows,
    private readonly closer: SessionCloser,
    private readonly copies: PrincipalCopies,
    private readonly keys: KnownKeys,
    private readonly roots: ProjectRoots,
    private readonly audit: AuditLog,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async report(principalId: string): Promise<PrincipalReport> {
    const counts = await this.rows.count(principalId);
    return { ...counts, projectFolder: this.roots.ownOf(principalId) };
  }

  /**
   * Ends the principal's turns, and deletes what there is. A call that fails half-way is made again: it goes on
   * with what is left.
   *
   * @returns what there was.
   * @throws TypedError TURN_IN_PROGRESS 409 when a turn does not end.
   */
  async forget(principalId: string, { projects, by }: ForgetOptions): Promise<PrincipalReport> {
    const { rows, clock } = this;
    const report = await this.report(principalId);
    // First of all, so that nothing new comes: every process knows of it when its cache has expired.
    if ((await rows.stripKeys(principalId)) > 0) {
      this.keys.forget();
      await pause(clock, KEY_FRESH_MS);
    }
    await rows.deleteSchedules(principalId);
    const turnIds = await rows.turnIds(principalId);
    const hashes = await rows.fileHashes(principalId);
    for (const sessionId of await rows.sessionIds(principalId)) {
      await this.#close(sessionId, by);
    }
    await rows.deleteRest(principalId);
    await rows.deleteOfTurns(turnIds);
    await this.copies.remove(principalId, { hashes, turnIds });
    if (projects) await removeFolder(report.projectFolder);
    const { projectFolder: _, ...details } = report;
    const actor = by === principalId ? FORGOTTEN : by;
    const entry = {
      principalId: actor,
      action: 'principal.forgotten',
      subject: FORGOTTEN,
    } as const;
    await this.audit.write({ ...entry, details });
    return report;
  }

  async #close(sessionId: string, by: string): Promise<void> {
    try {
      await this.closer.close(sessionId, by);
    } catch (error) {
      // Somebody else deleted it.
      if (!isTypedError(error, 'SESSION_NOT_FOUND')) throw error;
    }
  }
}

/** Deletes a folder, if there is one. A command that runs on for a moment leads the deletion to no other. */
async function removeFolder(folder: string): Promise<void> {
  const real = await unlessGone(realpath(folder));
  const held = real === undefined ? undefined : await unlessGone(HeldFolder.open(real));
  if (held !== undefined) await closing(held, () => held.removeAll());
  await rm(folder, { recursive: true, force: true });
}
