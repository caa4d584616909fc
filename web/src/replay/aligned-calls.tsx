import type { TurnComparison } from '../../../src/client/turnpike-client.js';
import { Section } from '../app/page.js';
import { OpenText } from '../chat/text/open-text.js';
import type { SideNames } from './facts-table.js';

type Aligned = TurnComparison['tools'][number];
type Call = NonNullable<Aligned['left']>;

const kinds: Record<Aligned['kind'], { look: string; words: (names: SideNames) => string }> = {
  same: { look: 'bg-good-wash text-good', words: () => 'same' },
  changed: { look: 'bg-amber-wash text-amber', words: () => 'input differs' },
  onlyLeft: { look: 'bg-bad-wash text-bad', words: ({ left }) => `only ${left.toLowerCase()}` },
  onlyRight: {
    look: 'bg-accent-wash text-accent-ink',
    words: ({ right }) => `only ${right.toLowerCase()}`,
  },
};

/** The tool calls of two turns, in the order of both. */
export function AlignedCalls({
  tools,
  names,
}: {
  tools: TurnComparison['tools'];
  names: SideNames;
}) {
  return (
    <Section title="Tool calls" className="mb-6">
      {tools.length === 0 && <p className="text-sm text-muted">Neither turn calls a tool.</p>}
      <ol className="divide-y divide-line rounded-xl border border-line bg-panel empty:hidden">
        {tools.map(({ kind, left, right }) => (
          <li
            key={`${left?.callId} ${right?.callId}`}
            className="grid gap-x-4 gap-y-2 px-4 py-2.5 sm:grid-cols-[7.5rem_minmax(0,1fr)_minmax(0,1fr)]"
          >
            <span>
              <span className={`rounded-full px-1.5 text-xs ${kinds[kind].look}`}>
                {kinds[kind].words(names)}
              </span>
            </span>
            <Side name={names.left} call={left} />
            <Side name={names.right} call={right} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Side({ name, call }: { name: string; call: Call | undefined }) {
  if (call === undefined) return <span className="hidden text-sm text-muted sm:block">–</span>;
  const { name: tool, input, status, result } = call;
  return (
    <div className="min-w-0 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-xs text-muted sm:sr-only">{name}</span>
        <code className="font-mono text-[0.8125rem] font-medium [overflow-wrap:anywhere]">
          {tool}
        </code>
        <span className="text-xs text-muted">{status === 'claimed' ? 'no result' : status}</span>
        {result === 'missed' && (
          <span className="rounded-full bg-amber-wash px-1.5 text-xs text-amber">not recorded</span>
        )}
      </p>
      <details className="mt-1">
        <summary className="text-xs text-accent-ink">Input</summary>
        <div className="mt-1.5">
          <OpenText text={JSON.stringify(input, null, 2)} label={`Input of ${tool}, ${name}`} />
        </div>
      </details>
    </div>
  );
}
