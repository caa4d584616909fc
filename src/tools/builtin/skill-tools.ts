import { ToolFailure, type SkillAccess, type ToolContext, type ToolDefinition } from '../tool.js';

export const LOAD_SKILL = 'load_skill';
export const READ_SKILL_FILE = 'read_skill_file';

const name = { type: 'string', minLength: 1, maxLength: 64, description: 'Name of the skill.' };
const traits = {
  effect: 'read',
  retry: 'safe',
  permissionArgument: { name: 'name', kind: 'text' },
} as const;

/** The instructions of a skill. */
export const loadSkillTool: ToolDefinition = {
  ...traits,
  name: LOAD_SKILL,
  description:
    'Load the instructions of a skill by its name. Do this before the work that the skill is for, and follow what it says.',
  inputSchema: {
    type: 'object',
    properties: { name },
    required: ['name'],
    additionalProperties: false,
  },
  open: (context) => ({
    run: async ({ name: skill }) => {
      if (typeof skill !== 'string') throw new ToolFailure('load_skill: name must be text');
      return skillsOf(context, LOAD_SKILL).load(skill);
    },
  }),
};

/** Files that a skill's instructions refer to. */
export const readSkillFileTool: ToolDefinition = {
  ...traits,
  name: READ_SKILL_FILE,
  // Who may not load a skill reads none of its files.
  deniedWith: [LOAD_SKILL],
  description:
    'Read a text file in the folder of a skill, as the instructions of the skill name it, for example references/forms.md.',
  inputSchema: {
    type: 'object',
    properties: {
      name,
      path: { type: 'string', minLength: 1, description: 'Relative to the folder of the skill.' },
    },
    required: ['name', 'path'],
    additionalProperties: false,
  },
  open: (context) => ({
    run: async ({ name: skill, path }) => {
      if (typeof skill !== 'string' || typeof path !== 'string') {
        throw new ToolFailure('read_skill_file: name and path must be text');
      }
      return skillsOf(context, READ_SKILL_FILE).read(skill, path);
    },
  }),
};

function skillsOf({ skills }: ToolContext, tool: string): SkillAccess {
  if (skills === undefined) throw new ToolFailure(`${tool}: this turn has no skills`);
  return skills;
}
