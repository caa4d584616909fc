import { chooseSkills, readInside, type Skill, type SkillLibrary } from '../../agents/face.js';
import { clientNotice, type NoticePosted } from '../../events/face.js';
import { compact } from '../../platform/face.js';
import { projectOf } from '../../session/face.js';
import type { AnnouncedSkill } from '../../storage/shapes/sent-request.js';
import {
  LOAD_SKILL,
  READ_SKILL_FILE,
  type SkillAccess,
  ToolFailure,
  type ToolRegistry,
} from '../../tools/face.js';
import type { Attempt, SourceTools, ToolOffer, ToolSource } from '../../turn/face.js';
import { narrowCalls } from './narrow-calls.js';
import { skillsPart } from './skills-part.js';

/** Bytes of a file that a skill refers to. */
const MAX_FILE_BYTES = 262_144;

const skillTools = [LOAD_SKILL, READ_SKILL_FILE];

/** The skills of a turn. */
interface TurnSkills {
  /** As the model knows them. */
  announced: readonly AnnouncedSkill[];
  /** As their files are now: of a recovered turn, some may have changed since. */
  found: readonly Skill[];
  notices: readonly NoticePosted[];
}

/** The tools that load skills, for a turn that has any. */
export function skillSource(library: SkillLibrary, registry: ToolRegistry): ToolSource {
  return {
    name: 'skills',
    precedence: 40,
    owns: skillTools,
    prompt: skillsPart,
    open: async (attempt, offer) => {
      if (!mayHaveSkills(offer)) return { tools: [], bounds: [], reserved: skillTools };
      return sourceTools(await chooseTurnSkills(attempt, offer, library), registry);
    },
  };
}

function sourceTools(skills: TurnSkills, registry: ToolRegistry): SourceTools {
  const { announced, notices } = skills;
  if (announced.length === 0) return { tools: [], bounds: [], reserved: skillTools, notices };
  return {
    tools: registry.select(skillTools).tools,
    // Skills are those of an agent, also where its parent has none.
    bounds: ['ceiling'],
    notices,
    follow: (offered) =>
      offered.some(({ name }) => name === LOAD_SKILL)
        ? { state: announced, narrow: (calls) => narrowCalls(announced, calls) }
        : {},
    context: { skills: skillAccess(skills) },
  };
}

/**
 * Chooses the skills of an attempt. The list is that of the turn's first step: what changes while a turn runs is for
 * the next.
 */
async function chooseTurnSkills(
  { turn, session, progress }: Attempt,
  { persona, root }: ToolOffer,
  library: SkillLibrary,
): Promise<TurnSkills> {
  const place = { agent: persona.name, project: projectOf(root, session) };
  const lists = [persona.skills, turn.options.options.skills];
  const chosen = chooseSkills(await library.find(place), lists);
  const { skills: found } = chosen;
  if (progress.steps.length > 0) {
    return { announced: session.prefix?.told.skills ?? [], found, notices: [] };
  }
  return { announced: found.map(toAnnounced), found, notices: describeAbsent(chosen) };
}

/** A turn that lists its tools lists `load_skill` too, or names skills. */
function mayHaveSkills({ options, isExplicit }: ToolOffer): boolean {
  if (!isExplicit || options.tools.includes(LOAD_SKILL)) return true;
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
function skillAccess({ announced, found }: TurnSkills): SkillAccess {
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
