/** Who may do what: principals and their credentials, ownership, the audit log, log-ins of people, secrets at rest. For wires and features. */

export { AccessEnder, FORGOTTEN } from './people/access-ender.js';
export { forbiddenScope } from './access-errors.js';
export { PrincipalParamsDto } from './access.dto.js';
export { AccessModule } from './access.module.js';
export { type AuditAction, AuditLog } from './audit-log.js';
export { Authenticator } from './authenticator.js';
export { Caller, callerOf } from './caller.decorator.js';
export { Grants, type Voucher } from './people/grants.js';
export { ConsoleLogins } from './logins/console-logins.js';
export { consoleOrigin, readCookie, setCookie } from './logins/login-cookies.js';
export { removeEndedLogins } from './logins/logins.js';
export { escaped, faultPage, hostOf, pageHeaders, pageOf, siteOf } from './logins/person-page.js';
export { serveLogin } from './logins/serve-login.js';
export { checkOrigin } from './origin/check-origin.js';
export {
  ForPages,
  HarmlessForPages,
  NeedsScope,
  NeverForPages,
  NoNewSessionForPages,
  Owned,
  Unowned,
} from './owned.decorator.js';
export { Owners } from './ownership/owners.js';
export {
  type Actor,
  callerLogger,
  notedCredential,
  type Principal,
  principalForm,
  principalFormWords,
} from './principal.js';
export { SecretVault } from './secrets/secret-vault.js';
export type { GrantFault } from './credentials/token-people.js';
