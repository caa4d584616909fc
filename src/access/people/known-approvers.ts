import { Injectable } from '@nestjs/common';
import { approverRulesOf } from '../../governance/permissions/approver-rules.js';
import type { PermissionRules } from '../../storage/shapes/stored-options.js';
import { noApprovers } from '../access-errors.js';
import { CustomAuthenticators } from '../custom-authenticators.js';
import { KeyStore } from '../keys/key-store.js';
import { TokenVerifier } from '../tokens/token-verifier.js';

/** The roles of approvers that somebody can have: by a group of an identity provider, or by a key. */
@Injectable()
export class KnownApprovers {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly custom: CustomAuthenticators,
    private readonly keys: KeyStore,
  ) {}

  /**
   * Finds the roles of rules that nobody can decide by: of each such rule all, as one of them would do. Which roles
   * extensions give is not known, so that with an authenticator of theirs there are none.
   */
  async findMissing(rules: readonly PermissionRules[]): Promise<string[]> {
    const wanted = rules.flatMap(approverRulesOf).map(({ by }) => by);
    if (wanted.length === 0 || !this.custom.isEmpty) return [];
    const ofKeys = await this.keys.approverRoles();
    const known = (role: string) => ofKeys.has(role) || this.tokens.approverRoles.includes(role);
    return [...new Set(wanted.filter((by) => !by.some(known)).flat())];
  }

  /** @throws TypedError NO_APPROVERS 422 for rules that nobody can decide by. */
  async check(rules: readonly PermissionRules[]): Promise<void> {
    const missing = await this.findMissing(rules);
    if (missing.length > 0) throw noApprovers(missing);
  }
}
