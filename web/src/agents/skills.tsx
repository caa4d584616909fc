import { useCallback, useState } from 'react';
import type { ListedSession } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { HelpLink, Loaded, Nothing } from '../app/page.js';
import { useResource } from '../app/use-resource.js';
import { useSessions } from '../app/use-sessions.js';
import { matches } from './matches.js';
import { SkillRow } from './skill-row.js';

/** The skills of the server, or those that the latest session of a folder has. */
export function Skills({ filter }: { filter: string }) {
  const { value: sessions } = useSessions('all');
  const [folder, setFolder] = useState('');
  const sessionId = sessions?.find(({ projectRoot }) => projectRoot === folder)?.sessionId;
  const load = useCallback(
    () => (sessionId === undefined ? client().skills() : client().sessions.skills(sessionId)),
    [sessionId],
  );
  const skills = useResource(load);
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
              <Nothing title="No skills here.">
                A skill is a folder with instructions that an agent loads when it needs them.{' '}
                <HelpLink topic="guide/skills">How to write one</HelpLink>
              </Nothing>
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
