import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentProblem, AgentSummary, ListedTool } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { limitLooks } from '../settings/setting-looks.js';
import { useIsOperator } from '../../api/queries.js';
import { ClampedText } from '../../components/clamped-text.js';
import { Button } from '../../components/button.js';
import { Link } from 'wouter';
import { HelpLink, Loaded, EmptyState, Page, Section } from '../../components/page.js';
import { OutputText } from '../../components/output-text.js';
import { formatCount } from '../../components/format.js';
import { AgentSkills, matches, Skills } from './skills.js';
import { ToolSources } from './tool-sources.js';
import { TryTool } from './try-tool.js';

/** Files may change while the page is open. */
const POLL_MS = 10_000;

/** The named agents, the server's skills and its tools. */
export function AgentsPage() {
  const files = useQuery({
    queryKey: ['agents', 'files'],
    queryFn: () => client().agentFiles(),
    refetchInterval: POLL_MS,
  });
  const tools = useQuery({ queryKey: ['tools'], queryFn: () => client().tools() });
  const [filter, setFilter] = useState('');
  return (
    <Page
      title="Agents and tools"
      lead="Who works for you on this server, and with what."
      actions={
        <input
          type="search"
          aria-label="Filter agents and tools"
          placeholder="Filter"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
          className="h-8 w-44 rounded-lg border border-line-strong bg-panel px-2.5 text-sm"
        />
      }
    >
      <Section title="Agents" className="">
        <Loaded from={files} what="agents">
          {({ agents, problems }) => (
            <>
              {agents.length === 0 && (
                <EmptyState title="No agents yet.">
                  An agent is a Markdown file in the folder agents of the instruction root.{' '}
                  <HelpLink topic="guide/named-agents">How to write one</HelpLink>
                </EmptyState>
              )}
              {problems.length > 0 && <Problems problems={problems} />}
              <ul className="grid gap-3 sm:grid-cols-2">
                {agents
                  .filter((agent) => matches(filter, agent))
                  .map((agent) => (
                    <AgentCard key={agent.name} agent={agent} />
                  ))}
              </ul>
            </>
          )}
        </Loaded>
      </Section>
      <Skills filter={filter} />
      <ToolSources />
      <Section title="Tools">
        <Loaded from={tools} what="tools">
          {(all) => (
            <ul className="divide-y divide-line rounded-xl border border-line bg-panel">
              {all
                .filter((tool) => matches(filter, tool))
                .map((tool) => (
                  <ToolRow key={tool.name} tool={tool} />
                ))}
            </ul>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

function Problems({ problems }: { problems: readonly AgentProblem[] }) {
  return (
    <ul
      aria-label="Faults of agent files"
      className="mb-3 rounded-xl border border-bad/40 bg-bad-wash px-4 py-2 text-xs text-bad"
    >
      {problems.map(({ file, line, message }) => (
        <li key={`${file}:${line}:${message}`} className="py-0.5 [overflow-wrap:anywhere]">
          <code className="font-mono">{line === 0 ? file : `${file}:${line}`}</code> {message}
        </li>
      ))}
    </ul>
  );
}

const types: Record<number, string> = { 1: 'interactive', 2: 'subagent' };

function AgentCard({ agent }: { agent: AgentSummary }) {
  const { name, title, file, description, model, tools, limits, subagents, type } = agent;
  const { decision_tree: tree } = agent;
  const facts: [string, string][] = [
    ['Model', model ?? 'default'],
    ['Tools', tools === null ? 'default' : tools.join(', ') || 'none'],
    ['Subagents', subagents.join(', ') || 'none'],
    ...Object.entries(limits).map(([limit, value]) => limitWords(limit, value)),
    ...(tree === 'default' ? [] : [['Decision tree', tree] as [string, string]]),
    ['File', file],
  ];
  return (
    <li className="rounded-xl border border-line bg-panel p-4">
      <h3 className="flex flex-wrap items-baseline gap-x-2 text-sm font-semibold">
        {title ?? name}
        {title !== null && (
          <code className="text-xs font-normal text-muted" title="Its name in requests">
            {name}
          </code>
        )}
        {type !== null && types[type] !== undefined && (
          <span className="text-xs font-normal text-muted">{types[type]}</span>
        )}
      </h3>
      <p className="mt-0.5 mb-2 text-sm text-muted">{description ?? 'No description.'}</p>
      <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
      <AgentSkills agent={name} />
      <Link
        href={`/?agent=${encodeURIComponent(name)}`}
        className="mt-3 inline-flex h-8 items-center rounded-lg border border-line px-3 text-sm font-medium hover:bg-sunken"
      >
        Start a session
      </Link>
    </li>
  );
}

/** A limit in the words of the page of settings: `timeout_seconds` is `Time limit`, `600 s`. */
function limitWords(limit: string, value: number): [string, string] {
  const { label, unit } = limitLooks[limit] ?? { label: limit, unit: '' };
  return [label, unit === '' ? formatCount(value) : `${formatCount(value)} ${unit}`];
}

const effects: Record<string, string> = {
  read: 'bg-good-wash text-good',
  edit: 'bg-amber-wash text-amber',
  command: 'bg-bad-wash text-bad',
};

function ToolRow({ tool }: { tool: ListedTool }) {
  const { name, description, effect, inputSchema, source } = tool;
  const isOperator = useIsOperator();
  const [isTried, setIsTried] = useState(false);
  return (
    <li className="px-4 py-3">
      <h3 className="flex items-baseline gap-2">
        <code className="font-mono text-[0.8125rem] font-medium [overflow-wrap:anywhere]">
          {name}
        </code>
        <span className={`rounded-full px-1.5 text-xs ${effects[effect] ?? 'bg-sunken text-soft'}`}>
          {effect}
        </span>
        {isOperator && (source === 'extension' || source === 'mcp') && (
          <Button className="ml-auto" aria-label={`Try ${name}`} onClick={() => setIsTried(true)}>
            Try
          </Button>
        )}
      </h3>
      <ClampedText text={description} className="mt-0.5 text-sm text-muted" />
      <details className="mt-1.5">
        <summary className="text-xs text-accent-ink">Input</summary>
        <div className="mt-1.5">
          <OutputText text={JSON.stringify(inputSchema, null, 2)} label={`Input of ${name}`} />
        </div>
      </details>
      {isTried && <TryTool tool={tool} onClose={() => setIsTried(false)} />}
    </li>
  );
}
