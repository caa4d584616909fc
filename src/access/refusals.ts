import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { TypedError } from '../errors/typed-error.js';
import { compact } from '../platform/compact.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { tooManyRefusals, unauthenticated, type KeyFault } from './access-errors.js';
import { AuditLog, type AuditAction } from './audit-log.js';
import type { KeyRow } from './keys/key.dto.js';
import { CustomAuthenticators } from './custom-authenticators.js';
import { ConsoleIssuers } from './logins/console-issuers.js';
import { MAX_WRONG_KEYS, RefusedAddresses, WRONG_KEYS_MS } from './origin/check-origin.js';
import type { RequestHead } from './credentials/parse-credentials.js';

/** The sender of a request, whether or not anybody knows it. */
export type Sender = Pick<RequestHead, 'address' | 'requestId'>;

/** Requests whose credentials are not taken: counted for their address, and audited. */
@Injectable()
export class Refusals {
  constructor(
    private readonly audit: AuditLog,
    private readonly refused: RefusedAddresses,
    private readonly console: ConsoleIssuers,
    private readonly custom: CustomAuthenticators,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether the address sent too many wrong credentials: none is looked up then that costs a look. */
  async isFlooding({ address }: Sender): Promise<boolean> {
    return (await this.refused.waitOf(address)) !== undefined;
  }

  /**
   * Counts a credential that was looked at and is wrong, once for its sender.
   *
   * @throws TypedError RATE_LIMITED where the sender had sent too many before.
   */
  async count({ address }: Sender, credential: string): Promise<void> {
    const waitMs = await this.refused.waitOf(address);
    if (waitMs !== undefined) throw tooManyRefusals(MAX_WRONG_KEYS, WRONG_KEYS_MS, waitMs);
    await this.refused.add(address, hash('sha256', credential, 'base64url'));
  }

  /** Audits the refusal, and throws it. */
  async refuse(fault: KeyFault, head: RequestHead, key?: KeyRow): Promise<never> {
    const details = { reason: fault.toUpperCase(), ...compact({ keyId: key?.id }) };
    await this.note(head, details, key?.principalId);
    throw this.unauthenticated(fault);
  }

  /** The error of a request whose sender is not known; it lists the identity providers that people log in with. */
  unauthenticated(fault: KeyFault, headers?: Record<string, string>): TypedError {
    const { isInApplication } = this.custom;
    return unauthenticated(fault, {
      logins: this.console.names,
      isInApplication,
      ...compact({ headers }),
    });
  }

  /** Audits a refusal, once a minute for an address. */
  async note(
    { address, requestId }: Sender,
    details: Record<string, unknown>,
    principalId = 'anonymous',
    action: AuditAction = 'authentication.refused',
  ): Promise<void> {
    const { refused, audit, logger } = this;
    if (!(await refused.shouldNote(address, action))) return;
    await audit
      .write({ by: { id: principalId }, action, subject: address, details })
      .catch((error: unknown) =>
        logger.warn(
          { requestId, error },
          'could not write a refused request to the audit log; the request was refused all the same',
        ),
      );
  }
}
