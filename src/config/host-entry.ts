const entryForm = /^(\*\.)?([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?$/;

/**
 * Parses an entry of a list of hosts inside the network: `host` (at port 443 or 80), `host:port`, or `host:*` for
 * every port. Undefined when it is not valid.
 */
export function parsePrivateHost(text: string): string | undefined {
  const entry = text.trim().toLowerCase();
  const isValid = entryForm.test(entry.replace(/:\*$/, ':1')) && !entry.startsWith('*');
  return isValid ? entry : undefined;
}

/**
 * Parses an entry of a list of hosts: `mcp.example.com`, or `*.example.com` for all below it, each with
 * an optional `:port` (default: any). Undefined when it is not valid.
 */
export function parseHostEntry(text: string): string | undefined {
  const entry = text.trim().toLowerCase();
  return entryForm.test(entry) && entry !== '*.' ? entry : undefined;
}
