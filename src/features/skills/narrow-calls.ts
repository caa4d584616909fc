import { USE_TOOL } from '../../provider/face.js';
import type { AnnouncedSkill } from '../../storage/shapes/sent-request.js';
import type { NarrowingSkill } from '../../storage/shapes/stored-options.js';
import { FIND_TOOLS, LOAD_SKILL, READ_SKILL_FILE } from '../../tools/face.js';
import type { EndedCall } from '../../turn/face.js';

/** Calls that no skill rules out: a loaded one could not be followed without them. */
const always = [LOAD_SKILL, READ_SKILL_FILE];
/** Calls that a skill with tools of MCP servers needs beside these, as a search may find them. */
const searches = [FIND_TOOLS, USE_TOOL];

/**
 * What the skills allow that were loaded. Pure.
 *
 * @param skills those of the turn.
 * @param calls those of its earlier steps.
 */
export function narrowCalls(
  skills: readonly AnnouncedSkill[],
  calls: readonly EndedCall[],
): NarrowingSkill[] {
  if (skills.every(({ allowedTools }) => allowedTools === undefined)) return [];
  const loads = calls.filter(({ name, status }) => name === LOAD_SKILL && status === 'success');
  const loaded = new Set(loads.map(({ input }) => input['name']));
  return skills.flatMap(({ name, allowedTools }) =>
    allowedTools === undefined || !loaded.has(name)
      ? []
      : [{ name, allowed: [...allowedTools, ...always, ...searchesFor(allowedTools)] }],
  );
}

function searchesFor(allowedTools: readonly string[]): readonly string[] {
  return allowedTools.some((rule) => rule.startsWith('mcp__')) ? searches : [];
}
