import { TypedError } from '../errors/typed-error.js';

/** @param problems sentences about the tool's MCP server. */
export function toolNotFound(tool: string, problems: readonly string[] = []): TypedError {
  const why = problems.length === 0 ? '' : ` Its server: ${problems.join('; ')}.`;
  return new TypedError('TOOL_NOT_FOUND', {
    message: `There is no tool ${tool.slice(0, 200)} of an extension, a folder of tools or an MCP server.${why} GET /api/harness/tools lists the tools.`,
  });
}

export function serverNotFound(server: string): TypedError {
  return new TypedError('TOOL_NOT_FOUND', {
    message: `There is no MCP server ${server.slice(0, 200)} in TURNPIKE_MCP_FILE. GET /api/harness/tools lists the servers.`,
  });
}

/** @param why a clause that begins with a verb. */
export function trialUnsupported(tool: string, why: string): TypedError {
  return new TypedError('TOOL_TRIAL_UNSUPPORTED', {
    message: `${tool} ${why}. Try it in a session.`,
  });
}

/** @param rule the name of the decisive rule. */
export function trialDenied(reason: string, rule: string): TypedError {
  return new TypedError('TOOL_TRIAL_DENIED', { message: reason, details: { rule } });
}

export function trialUnconfirmed(reason: string, rule: string): TypedError {
  return new TypedError('TOOL_TRIAL_UNCONFIRMED', {
    message: `A person agrees before this call runs (${reason}). Send it again with confirmed: true.`,
    details: { rule },
  });
}
