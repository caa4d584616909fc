import type { Persona } from '../../agents/parse-agent-file.js';
import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { compact } from '../../platform/compact.js';
import { projectOf, type OpenedRoot } from '../../session/project-roots.js';
import { chooseSkills } from '../../agents/skill-library.js';
import type { Skill } from '../../agents/skill-file.js';
import type { AnnouncedSkill } from '../../storage/shapes/sent-request.js';
import type { OptionResolution } from '../../storage/shapes/stored-options.js';
import { LOAD_SKILL } from '../../tools/builtin/skill-tools.js';
import type { Attempt } from '../state/attempt.js';
import { offerOf } from '../state/turn-row.js';
import { emitOnce } from './start-events.js';
import { readInside } from '../../agents/find-skills.js';
import { ToolFailure, type SkillAccess } from '../../tools/tool.js';

/** Bytes of a file that a skill refers to. */
const MAX_FILE_BYTES = 262_144;

/** The skills of a turn. */
export interface TurnSkills {
  /** As the model knows them. */
  announced: readonly AnnouncedSkill[];
  /** As their files are now: of a recovered turn, some may have changed since. */
  found: readonly Skill[];
}

export const noSkills: TurnSkills = { announced: [], found: [] };

/**
 * Chooses the skills of an attempt. The list is that of the turn's first step: what changes while a turn runs is for
 * the next.
 */
export async function chooseTurnSkills(
  attempt: Attempt,
  { persona, root }: { persona: Persona; root: OpenedRoot },
): Promise<TurnSkills> {
  const { services, turn, session, progress } = attempt;
  if (!mayHaveSkills(offerOf(turn).options)) return noSkills;
  const place = { agent: persona.name, project: projectOf(root) };
  const lists = [persona.skills, turn.options.options.skills];
  const chosen = chooseSkills(await services.skills.find(place), lists);
  const { skills: found } = chosen;
  if (progress.steps.length > 0) return { announced: session.prefix?.told.skills ?? [], found };
  for (const notice of describeAbsent(chosen)) emitOnce(attempt, notice);
  return { announced: found.map(toAnnounced), found };
}

/** A turn that lists its tools lists `load_skill` too, or names skills. */
function mayHaveSkills({ options, provenance }: OptionResolution): boolean {
  if (provenance.tools !== 'opts' || options.tools.includes(LOAD_SKILL)) return true;
  return (options.skills ?? []).length > 0;
}

function toAnnounced({ name, description, digest, allowedTools }: Skill): AnnouncedSkill {
  return { name, description, digest, ...compact({ allowedTools }) };
}

function describeAbsent({ missing, leftOut }: ReturnType<typeof chooseSkills>): NoticePosted[] {
  const noticeOf = (kind: string, skills: readonly string[], text: string): NoticePosted[] =>
    skills.length === 0 ? [] : [clientNotice('message', kind, text, { skills })];
  return [
    ...noticeOf(
      'skill-missing',
      missing,
      `There is no skill of this name, or its file has faults: ${missing.join(', ')}.`,
    ),
    ...noticeOf(
      'skills-left-out',
      leftOut,
      `There are more skills than a prompt lists. Left out: ${leftOut.join(', ')}. Name the skills of the agent in its file.`,
    ),
  ];
}

/** The skills of a turn for its tools: each in the version that the model was told of, or not at all. */
export function skillAccess({ announced, found }: TurnSkills): SkillAccess {
  const pick = (name: string): Skill => {
    const known = announced.find((one) => one.name === name);
    if (known === undefined) {
      const names = announced.map((one) => one.name).join(', ');
      throw new ToolFailure(`There is no skill ${name} here; there is ${names || 'none'}.`);
    }
    const skill = found.find((one) => one.name === name);
    if (skill?.digest === known.digest) return skill;
    throw new ToolFailure(
      `The skill ${name} has changed since it was listed. Go on without it; the next turn lists it as it is then.`,
    );
  };
  return {
    load: (name) => Promise.resolve(describe(pick(name))),
    read: async (name, path) => {
      const read = await readInside(pick(name).place, path, MAX_FILE_BYTES);
      if ('text' in read) return read.text;
      throw new ToolFailure(`read_skill_file: ${JSON.stringify(path)} ${read.fault}.`);
    },
  };
}

function describe({ name, compatibility, allowedTools, body }: Skill): string {
  const lines = [
    `Skill ${name}. Its files are read with read_skill_file.`,
    ...(compatibility === undefined ? [] : [`It needs: ${compatibility}`]),
    ...(allowedTools === undefined
      ? []
      : [
          `From the next step to the end of the turn, no other tools are allowed than: ${allowedTools.join(', ') || 'none'}.`,
        ]),
  ];
  return `${lines.join('\n')}\n\n${body}`;
}
