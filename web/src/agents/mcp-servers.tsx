import { useCallback } from 'react';
import type { ListedMcpServer } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { HelpLink, Nothing, Section } from '../app/page.js';
import { useResource } from '../app/use-resource.js';

const states: Record<ListedMcpServer['state'], { words: string; look: string }> = {
  unused: { words: 'not used yet', look: 'bg-sunken text-soft' },
  working: { words: 'working', look: 'bg-good-wash text-good' },
  failed: { words: 'failed', look: 'bg-bad-wash text-bad' },
};

/** Milliseconds between two looks at what turns found. */
const LOOK_MS = 10_000;

/** The MCP servers of the configuration, and whether turns could use them. */
export function McpServers() {
  const load = useCallback(() => client().mcpServers(), []);
  const { value, fault, reload } = useResource(load, LOOK_MS);
  return (
    <Section title="MCP servers">
      {fault !== undefined && <FaultNote fault={fault} onRetry={reload} />}
      {value?.length === 0 && (
        <Nothing title="No MCP servers.">
          An MCP server brings tools of other programs.{' '}
          <HelpLink topic="guide/mcp">How to add one</HelpLink>
        </Nothing>
      )}
      <ul
        aria-label="MCP servers"
        className="divide-y divide-line rounded-xl border border-line bg-panel empty:hidden"
      >
        {value?.map(({ name, kind, state, tools, problems }) => (
          <li key={name} className="px-4 py-3">
            <h3 className="flex items-baseline gap-2 text-sm">
              <code className="font-mono text-[0.8125rem] font-medium">{name}</code>
              <span className={`rounded-full px-1.5 text-xs ${states[state].look}`}>
                {states[state].words}
              </span>
              <span className="text-xs text-muted">
                {kind === 'stdio' ? 'command' : 'HTTP'}
                {state === 'working' && ` · ${tools === 1 ? '1 tool' : `${tools} tools`}`}
              </span>
            </h3>
            {problems.map((problem) => (
              <p key={problem} className="mt-0.5 text-xs text-bad [overflow-wrap:anywhere]">
                {problem}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}
