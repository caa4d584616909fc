import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedSession } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { useSessions } from '../../api/queries.js';
import { HelpLink, Loaded, EmptyState } from '../../components/page.js';
import type { SkillView } from '#src/client/turnpike-client.js';

/** The skills of the server, or those of a folder (of its latest session). */
export function Skills({ filter }: { filter: string }) {
  const { data: sessions } = useSessions('all');
  const [folder, setFolder] = useState('');
  const sessionId = sessions?.find(({ projectRoot }) => projectRoot === folder)?.sessionId;
  const skills = useQuery({
    queryKey: ['skills', { sessionId }],
    queryFn: () =>
      sessionId === undefined ? client().skills() : client().sessions.skills(sessionId),
  });
  return (
    <section aria-labelledby="skills" className="mt-8">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 id="skills" className="text-sm font-semibold">
          Skills
        </h2>
        <select
          aria-label="Whose skills"
          value={folder}
          onChange={({ target }) => setFolder(target.value)}
          className="h-8 max-w-full min-w-0 rounded-lg border border-line-strong bg-panel px-2 text-xs"
        >
          <option value="">of the server</option>
          {foldersOf(sessions ?? []).map((one) => (
            <option key={one} value={one}>
              in {one}
            </option>
          ))}
        </select>
      </div>
      <Loaded from={skills} what="skills">
        {(all) => (
          <>
            {all.length === 0 && (
              <EmptyState title="No skills here.">
                A skill is a folder with instructions that an agent loads when it needs them.{' '}
                <HelpLink topic="guide/skills">How to write one</HelpLink>
              </EmptyState>
            )}
            <ul
              aria-labelledby="skills"
              className="divide-y divide-line rounded-xl border border-line bg-panel empty:hidden"
            >
              {all
                .filter((skill) => matches(filter, skill))
                .map((skill) => (
                  <SkillRow key={skill.file} skill={skill} />
                ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

function foldersOf(sessions: readonly ListedSession[]): string[] {
  return [...new Set(sessions.map(({ projectRoot }) => projectRoot))];
}

/** The skills of an agent, loaded when they are opened. */
export function AgentSkills({ agent }: { agent: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="mt-2" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-xs text-accent-ink">
        Skills<span className="sr-only"> of {agent}</span>
      </summary>
      {isOpen && <LoadedSkills agent={agent} />}
    </details>
  );
}

function LoadedSkills({ agent }: { agent: string }) {
  const skills = useQuery({
    queryKey: ['skills', { agent }],
    queryFn: () => client().skills({ agent }),
  });
  return (
    <Loaded from={skills} what="skills">
      {(all) =>
        all.length === 0 ? (
          <p className="mt-1 text-xs text-muted">This agent has no skills.</p>
        ) : (
          <ul aria-label={`Skills of ${agent}`} className="-mx-4 divide-y divide-line">
            {all.map((skill) => (
              <SkillRow key={skill.file} skill={skill} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

const levels: Record<SkillView['level'], string> = {
  agent: 'agent',
  server: 'server',
  project: 'project',
};

/** A skill in a list, with the faults of its file. */
function SkillRow({ skill }: { skill: SkillView }) {
  const { name, level, description, allowedTools, file, faults, isOffered, hiddenBy } = skill;
  return (
    <li className="px-4 py-3">
      <h3 className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-[0.8125rem] font-medium">{name}</code>
        <span className="rounded-full bg-sunken px-1.5 text-xs text-soft">{levels[level]}</span>
        {faults.length > 0 && (
          <span className="rounded-full bg-bad-wash px-1.5 text-xs text-bad">not loaded</span>
        )}
        {faults.length === 0 && !isOffered && (
          <span className="rounded-full bg-amber-wash px-1.5 text-xs text-amber">
            {hiddenBy === null ? 'not offered' : `hidden by one of the ${levels[hiddenBy]}`}
          </span>
        )}
      </h3>
      {description !== null && <p className="mt-0.5 text-sm text-muted">{description}</p>}
      {allowedTools !== null && (
        <p className="mt-0.5 text-xs text-muted">
          While loaded, only these tools may run: {allowedTools.join(', ') || 'none'}.
        </p>
      )}
      {faults.map(({ line, message }) => (
        <p key={`${line}: ${message}`} className="mt-0.5 text-xs text-bad">
          {file}:{line}: {message}
        </p>
      ))}
    </li>
  );
}

/** Whether a name or a description contains the filter. Pure. */
export function matches(
  filter: string,
  { name, description }: { name: string; description: string | null },
): boolean {
  return `${name} ${description ?? ''}`.toLowerCase().includes(filter.trim().toLowerCase());
}
