import { useQuery } from '@tanstack/react-query';
import { missCauses } from '#src/client/miss-causes.js';
import { client } from '../../api/client.js';
import { formatCount, formatUsd } from '../../components/format.js';
import { Section } from '../../components/page.js';

/** Steps of a page: most turns have fewer. */
const STEPS = 200;

/** What the calls of a turn that has ended paid for again, and why; nothing where the cache gave all it had. */
export function CacheMisses({ turnId }: { turnId: string }) {
  const { data } = useQuery({
    queryKey: ['turns', turnId, 'steps'],
    queryFn: () => client().turns.steps(turnId, { limit: STEPS }),
  });
  const misses = (data?.steps ?? []).flatMap(({ step, cacheMiss }) =>
    cacheMiss === undefined ? [] : [{ step, ...cacheMiss }],
  );
  if (misses.length === 0) return null;
  return (
    <Section title="Paid for again" className="mt-6">
      <ul className="rounded-xl border border-line bg-panel p-4 text-sm">
        {misses.map(({ step, tokens, cause, usd }) => (
          <li key={step}>
            Step {step}: {formatCount(tokens)} tokens
            {usd !== undefined && usd > 0 && `, ${formatUsd(usd)} more than from the cache`}:{' '}
            <span className="text-muted">{missCauses[cause]}.</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
