import { useCallback, useState } from 'react';
import { client } from '../app/client.js';
import { Loaded } from '../app/page.js';
import { useResource } from '../app/use-resource.js';
import { SkillRow } from './skill-row.js';

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
  const load = useCallback(() => client().skills({ agent }), [agent]);
  return (
    <Loaded from={useResource(load)} what="skills">
      {(skills) =>
        skills.length === 0 ? (
          <p className="mt-1 text-xs text-muted">This agent has no skills.</p>
        ) : (
          <ul aria-label={`Skills of ${agent}`} className="-mx-4 divide-y divide-line">
            {skills.map((skill) => (
              <SkillRow key={skill.file} skill={skill} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
