import type { SkillView } from '../../../src/client/turnpike-client.js';

const levels: Record<SkillView['level'], string> = {
  agent: 'agent',
  server: 'server',
  project: 'project',
};

/** A skill in a list, with the faults of its file. */
export function SkillRow({ skill }: { skill: SkillView }) {
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
