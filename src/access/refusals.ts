import { Inject, Injectable } from '@nestjs/common';
import { compact } from '../platform/compact.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { tooManyRefusals, unauthenticated, type KeyFault } from './access-errors.js';
import { AuditLog } from './audit-log.js';
import type { KeyRow } from './key.dto.js';
import { MAX_WRONG_KEYS, RefusedAddresses, WRONG_KEYS_MS } from './origin/check-origin.js';
import type { RequestHead } from './parse-credentials.js';

/** Requests whose credentials are not taken: counted for their address, and audited. */
@Injectable()
export class Refusals {
  constructor(
    private readonly audit: AuditLog,
    private readonly refused: RefusedAddresses,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws TypedError RATE_LIMITED for an address that sent too many wrong credentials. */
  async checkAddress({ address }: RequestHead): Promise<void> {
    const waitMs = await this.refused.waitOf(address);
    if (waitMs !== undefined) throw tooManyRefusals(MAX_WRONG_KEYS, WRONG_KEYS_MS, waitMs);
  }

  /** Counts a wrong credential for its address. */
  count({ address }: RequestHead): Promise<void> {
    return this.refused.add(address);
  }

  /** Audits the refusal, and throws it. */
  async refuse(fault: KeyFault, head: RequestHead, key?: KeyRow): Promise<never> {
    const details = { reason: fault.toUpperCase(), ...compact({ keyId: key?.id }) };
    await this.note(head, details, key?.principalId);
    throw unauthenticated(fault);
  }

  /** Audits a refusal, once a minute for an address. */
  async note(
    { address, requestId }: RequestHead,
    details: Record<string, unknown>,
    principalId = 'anonymous',
  ): Promise<void> {
    const { refused, audit, logger } = this;
    if (!(await refused.shouldNote(address))) return;
    const action = 'authentication.refused';
    await audit
      .write({ principalId, action, subject: address, details })
      .catch((error: unknown) =>
        logger.warn(
          { requestId, error },
          'could not write a refused request to the audit log; the request was refused all the same',
        ),
      );
  }
}
