import { TypedError } from '../../errors/typed-error.js';

export function mcpLoginNotFound(id: string): TypedError {
  const shown = id.slice(0, 120);
  return new TypedError('MCP_LOGIN_NOT_FOUND', {
    message: `There is no log-in ${shown}. GET /api/harness/mcp/logins lists yours.`,
    details: { id: shown },
  });
}
