import type { Skill } from '../../agents/skill-file.js';
import { readInside } from '../../agents/find-skills.js';
import { ToolFailure } from '../../tools/tool-failure.js';
import type { SkillShelf } from '../../tools/tool.js';
import type { TurnSkills } from './skill-chooser.js';

/** Bytes of a file that a skill refers to. */
const MOST_BYTES = 262_144;

/** The skills of a turn for its tools: each in the version that the model was told of, or not at all. */
export function openShelf({ told, found }: TurnSkills): SkillShelf {
  const pick = (name: string): Skill => {
    const known = told.find((one) => one.name === name);
    if (known === undefined) {
      const names = told.map((one) => one.name).join(', ');
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
      const read = await readInside(pick(name).place, path, MOST_BYTES);
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
