import { sql, type SQL } from 'drizzle-orm';
import { sessions } from '../../storage/schema.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';

/** Stores the prefix of a session's next requests. Part of a fenced statement. */
export function storePrefix(sessionId: string, prefix: RequestPrefix): SQL {
  return sql`update ${sessions} set prefix = ${sql.param(prefix, sessions.prefix)}::json
    from fence where ${sessions.id} = ${sessionId}`;
}
