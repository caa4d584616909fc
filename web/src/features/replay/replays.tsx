import { AgentName } from '../../components/agent-name.js';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import { Link } from 'wouter';
import { LoadFault, Section } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { formatAgo } from '../../components/format.js';

const POLL_MS = 5_000;

/** The replays of a turn, each with a link to the page that has both. Nothing where there is none. */
export function Replays({ turnId }: { turnId: string }) {
  const replays = useQuery({
    queryKey: ['turns', turnId, 'replays'],
    queryFn: () => client().turns.replays(turnId),
    refetchInterval: POLL_MS,
  });
  const now = useNow(10_000);
  if (replays.data === undefined) return <LoadFault of={replays} />;
  if (replays.data.replays.length === 0) return null;
  return (
    <Section title="Replays" className="mt-6">
      <ul className="divide-y divide-line rounded-xl border border-line bg-panel text-sm">
        {replays.data.replays.map(({ turnId: id, model, persona, status, tools, createdAt }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2">
            <span className="min-w-0 flex-1 basis-48">
              {model} · <AgentName name={persona} />
              {tools === 'none' && ' · without tools'}
            </span>
            <span className="text-xs text-muted">{status}</span>
            <span className="text-xs text-muted">{formatAgo(createdAt, now)}</span>
            <Link
              href={`/turns/${turnId}/compare/${id}`}
              className="text-xs text-accent-ink underline"
            >
              Compare
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
