import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ListedFault, ListedMcpServer } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { useIsOperator } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { ClampedText } from '../../components/clamped-text.js';
import { MutationFault } from '../../components/fault-note.js';
import { formatFor } from '../../components/format.js';
import { EmptyState, HelpLink, LoadFault, Section } from '../../components/page.js';
import { OutputText } from '../../components/output-text.js';
import { useNow } from '../../hooks/use-now.js';

const states: Record<ListedMcpServer['state'], { words: string; look: string }> = {
  unused: { words: 'not used yet', look: 'bg-sunken text-soft' },
  starting: { words: 'starting', look: 'bg-amber-wash text-amber' },
  working: { words: 'working', look: 'bg-good-wash text-good' },
  login: { words: 'needs a log-in', look: 'bg-amber-wash text-amber' },
  failed: { words: 'failed', look: 'bg-bad-wash text-bad' },
  stopped: { words: 'stopped', look: 'bg-sunken text-soft' },
};

/** States in which somebody may want to start a server. */
const startable: readonly ListedMcpServer['state'][] = ['unused', 'failed', 'stopped'];

const POLL_MS = 10_000;

/** Where tools come from: the MCP servers of the configuration, and the faults of files that have changed. */
export function ToolSources() {
  const sources = useQuery({
    queryKey: ['tool-sources'],
    queryFn: () => client().toolSources(),
    refetchInterval: POLL_MS,
  });
  const faults = sources.data?.faults ?? [];
  return (
    <>
      {faults.length > 0 && <ChangedFiles faults={faults} />}
      <Section title="MCP servers">
        <LoadFault of={sources} />
        {sources.data?.mcpServers.length === 0 && (
          <EmptyState title="No MCP servers.">
            An MCP server brings tools of other programs.{' '}
            <HelpLink topic="guide/mcp">How to add one</HelpLink>
          </EmptyState>
        )}
        <ul
          aria-label="MCP servers"
          className="divide-y divide-line rounded-xl border border-line bg-panel empty:hidden"
        >
          {sources.data?.mcpServers.map((server) => (
            <ServerRow key={server.name} server={server} />
          ))}
        </ul>
      </Section>
    </>
  );
}

/** Faults that `turnpike dev` found: the server runs on with the version before. */
function ChangedFiles({ faults }: { faults: readonly ListedFault[] }) {
  return (
    <Section title="Changed files with faults">
      <p className="mb-2 text-sm text-muted">The server runs the version before the change.</p>
      <ul
        aria-label="Faults of changed files"
        className="rounded-xl border border-bad/40 bg-bad-wash px-4 py-2 text-xs text-bad"
      >
        {faults.map(({ file, line, column, message }) => {
          const place = [file, line, column].filter((part) => part !== undefined).join(':');
          return (
            <li key={`${place} ${message}`} className="py-0.5 [overflow-wrap:anywhere]">
              <code className="font-mono">{place}</code> {message}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function ServerRow({
  server: { name, kind, state, since, tools, problems, stderr },
}: {
  server: ListedMcpServer;
}) {
  const now = useNow(POLL_MS);
  const isOperator = useIsOperator();
  const queries = useQueryClient();
  const starting = useMutation({
    mutationFn: () => client().startMcpServer(name),
    onSuccess: () =>
      Promise.all(
        ['tool-sources', 'tools'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      ),
  });
  return (
    <li className="px-4 py-3">
      <h3 className="flex flex-wrap items-baseline gap-x-2 text-sm">
        <code className="font-mono text-[0.8125rem] font-medium">{name}</code>
        <span className={`rounded-full px-1.5 text-xs ${states[state].look}`}>
          {states[state].words}
        </span>
        <span className="text-xs text-muted">
          {kind === 'stdio' ? 'command' : 'HTTP'}
          {since !== null && ` · for ${formatFor(since, now)}`}
          {state === 'working' && ` · ${tools === 1 ? '1 tool' : `${tools} tools`}`}
        </span>
        {isOperator && startable.includes(state) && (
          <Button
            className="ml-auto"
            aria-label={starting.isPending ? `Starting ${name}` : `Start and list tools of ${name}`}
            disabled={starting.isPending}
            onClick={() => starting.mutate()}
          >
            {starting.isPending ? 'Starting' : 'Start and list tools'}
          </Button>
        )}
      </h3>
      <MutationFault of={starting} />
      {problems.map((problem) => (
        <ClampedText key={problem} text={problem} className="mt-0.5 text-xs text-bad" />
      ))}
      {stderr.length > 0 && (
        <details className="mt-1.5">
          <summary className="text-xs text-accent-ink">Standard error</summary>
          <div className="mt-1.5">
            <OutputText text={stderr.join('\n')} label={`Standard error of ${name}`} />
          </div>
        </details>
      )}
    </li>
  );
}
