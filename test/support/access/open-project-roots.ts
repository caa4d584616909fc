import { KeyStore } from '../../../src/access/keys/key-store.js';
import { systemClock } from '../../../src/platform/clock.js';
import { ClaudeProjects } from '../../../src/session/claude-projects.js';
import { ProjectRoots, type ProjectRootsOptions } from '../../../src/session/project-roots.js';
import type { Database } from '../../../src/storage/connection.js';

/** No project has files for sessions. */
export const noFiles = new ClaudeProjects(
  systemClock,
  { projectFiles: 'none', trustedProjects: [], projectVariables: [] },
  {},
);

/** Project roots for tests: any folder without a key, and the folders that the test names. */
export function openProjectRoots(
  db: Database,
  options: Partial<ProjectRootsOptions> = {},
): ProjectRoots {
  const keys = new KeyStore(db, systemClock);
  return new ProjectRoots({
    quotaMb: 0,
    instructionRoot: '/no/such/instructions',
    ownPaths: { closed: [], hidden: [], protected: [] },
    projectsDir: '/no/such/projects',
    sharedRoot: undefined,
    listed: [],
    isOpenWithoutKey: true,
    roleRoots: [],
    clock: systemClock,
    files: noFiles,
    isOpen: async () => !(await keys.census()).isKeyed,
    loadKeyRoots: () => keys.roots(),
    ...options,
  });
}
