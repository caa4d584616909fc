import { useAgentTitles } from '../../api/queries.js';
import { useQuery } from '@tanstack/react-query';
import { useState, useEffect } from 'react';
import type { TurnComparison } from '#src/client/turnpike-client.js';
import { client, reportFault } from '../../api/client.js';
import { FaultNote } from '../../components/fault-note.js';
import { Link } from 'wouter';
import { Loaded, Page, Section } from '../../components/page.js';
import { Spinner } from '../../components/spinner.js';
import { Table } from '../../components/table.js';
import { OutputText } from '../../components/output-text.js';
import { MarkdownText } from '../chat/text/markdown.js';
import { DiffView } from '../../components/diff-view.js';
import { Toggle } from '../../components/toggle.js';
import { emptyResult, foldResult } from '#src/client/turn/turn-result.js';
import { isUnended, sideNames, type ComparedTurn, compareFacts } from './compared-facts.js';

/** Milliseconds between two requests while a turn runs. */
const POLL_MS = 1_000;

/** Two turns side by side, live while one of them runs. */
export function ComparePage({ turnId, otherId }: { turnId: string; otherId: string }) {
  const compared = useQuery({
    queryKey: ['turns', turnId, 'compare', otherId],
    queryFn: () => client().turns.compare(turnId, otherId),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (isUnended(data.left) || isUnended(data.right)) && POLL_MS,
  });
  return (
    <Page
      title="Compare"
      lead={
        compared.data === undefined ? (
          'Two turns side by side.'
        ) : (
          <Lead comparison={compared.data} />
        )
      }
    >
      <Loaded from={compared} what="the turns">
        {(comparison) => <Compared comparison={comparison} onEnd={compared.refetch} />}
      </Loaded>
    </Page>
  );
}

function Compared({ comparison, onEnd }: { comparison: TurnComparison; onEnd: () => unknown }) {
  const { left, right, tools } = comparison;
  const names = sideNames(comparison);
  const onLeft = useLiveText(left.turnId, isUnended(left), onEnd);
  const onRight = useLiveText(right.turnId, isUnended(right), onEnd);
  const fault = onLeft.fault ?? onRight.fault;
  return (
    <>
      {fault !== undefined && <FaultNote fault={fault} />}
      <FactsTable comparison={comparison} names={names} />
      <AlignedCalls tools={tools} names={names} />
      <ComparedTexts
        names={names}
        left={isUnended(left) ? { ...left, text: onLeft.text } : left}
        right={isUnended(right) ? { ...right, text: onRight.text } : right}
      />
    </>
  );
}

function Lead({ comparison }: { comparison: TurnComparison }) {
  const { left, right } = comparison;
  const names = sideNames(comparison);
  return (
    <span className="flex flex-wrap gap-x-5 gap-y-0.5">
      <SessionLink turnId={right.replayOf ?? left.turnId} />
      <TurnLink name={names.left} turn={left} />
      <TurnLink name={names.right} turn={right} />
    </span>
  );
}

/** The session of a turn: that of a replay is hidden. */
function SessionLink({ turnId }: { turnId: string }) {
  const { data: turn } = useQuery({
    queryKey: ['turns', turnId],
    queryFn: () => client().turns.get(turnId),
  });
  if (turn === undefined) return null;
  return (
    <Link href={`/sessions/${turn.sessionId}`} className="text-accent-ink underline">
      Back to the session
    </Link>
  );
}

function TurnLink({ name, turn }: { name: string; turn: ComparedTurn }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {name}:{' '}
      <Link href={`/turns/${turn.turnId}`} className="text-accent-ink underline">
        Timeline
      </Link>
      {isUnended(turn) && (
        <>
          <Spinner size={13} /> {turn.status}
        </>
      )}
    </span>
  );
}

export type SideNames = ReturnType<typeof sideNames>;

const cell = 'px-2.5 py-1.5 [overflow-wrap:anywhere] sm:px-4';

/** Outcome, cost, usage and times of two turns, with the differences. */
export function FactsTable({
  comparison,
  names,
}: {
  comparison: TurnComparison;
  names: SideNames;
}) {
  const titleOf = useAgentTitles();
  return (
    <div className="mb-6">
      <Table
        label="Facts"
        heads={['', names.left, names.right, 'Difference']}
        cell="px-2.5 py-2 sm:px-4"
        className="text-xs tabular-nums sm:text-sm"
      >
        {compareFacts(comparison, titleOf).map(({ label, left, right, difference }) => (
          <tr key={label} className="border-t border-line first:border-t-0">
            <th scope="row" className="px-2.5 py-1.5 text-xs font-normal text-muted sm:px-4">
              {label}
            </th>
            <td className={cell}>{left}</td>
            <td className={cell}>{right}</td>
            <td
              className={`${cell} sm:whitespace-nowrap ${difference === 'same' ? 'text-muted' : 'font-medium'}`}
            >
              {difference}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

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
          <OutputText text={JSON.stringify(input, null, 2)} label={`Input of ${tool}, ${name}`} />
        </div>
      </details>
    </div>
  );
}

/** The replies of two turns side by side, or as a diff. */
export function ComparedTexts({
  left,
  right,
  names,
}: {
  left: ComparedTurn;
  right: ComparedTurn;
  names: SideNames;
}) {
  const [byLine, setByLine] = useState(false);
  const hasOutput = left.output !== null || right.output !== null;
  return (
    <section aria-labelledby="replies">
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 id="replies" className="text-sm font-semibold">
          Replies
        </h2>
        <Toggle label="Line by line" isOn={byLine} onChange={setByLine} />
      </div>
      {byLine ? (
        <DiffView
          path={`${names.left} to ${names.right}`}
          before={wholeText(left, hasOutput)}
          after={wholeText(right, hasOutput)}
        />
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Reply name={names.left} turn={left} />
          <Reply name={names.right} turn={right} />
        </div>
      )}
    </section>
  );
}

function Reply({ name, turn }: { name: string; turn: ComparedTurn }) {
  const { text, output, outcome } = turn;
  const isOpen = isUnended(turn);
  return (
    <article
      aria-label={`Reply: ${name}`}
      aria-busy={isOpen}
      className="min-w-0 rounded-xl border border-line bg-panel p-4"
    >
      <h3 className="mb-2 text-xs font-medium text-muted">{name}</h3>
      <MarkdownText text={text} isOpen={isOpen} />
      {output !== null && <OutputText text={shownJson(output)} label={`Object: ${name}`} />}
      {text === '' && output === null && (
        <p className="text-sm text-muted">{isOpen ? 'Nothing yet.' : `No text: ${outcome}.`}</p>
      )}
    </article>
  );
}

function wholeText({ text, output }: ComparedTurn, hasOutput: boolean): string {
  return hasOutput ? `${text}\n${output === null ? '' : shownJson(output)}` : text;
}

function shownJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

/**
 * The text of a turn as it streams.
 *
 * @param isUnended whether there is anything to wait for.
 * @param onEnd called once the turn has ended; stable.
 */
export function useLiveText(
  turnId: string,
  isUnended: boolean,
  onEnd: () => unknown,
): { text: string; fault: unknown } {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    if (!isUnended) return undefined;
    const reading = new AbortController();
    const { signal } = reading;
    const read = async (): Promise<void> => {
      let state = emptyResult;
      for await (const event of client().follow(turnId, { signal })) {
        state = foldResult(state, event);
        setText(state.earlierText + state.streamingText);
      }
      onEnd();
    };
    read().catch((thrown: unknown) => {
      if (!signal.aborted) setFault(reportFault(thrown));
    });
    return () => reading.abort();
  }, [turnId, isUnended, onEnd]);
  return { text, fault };
}
