import type { ParseSkill } from '../../agents/face.js';
import { convertSkill } from '../../project-files/convert-skill.js';
import { getProjectPrompt, isOfProject, projectOf } from '../../session/face.js';
import { type ToolSource, withPrompt } from '../../turn/face.js';

/** Gives the message of a turn the text of the project's command that the turn names. It has no tools. */
export const projectSource: ToolSource = {
  name: 'project-files',
  precedence: 45,
  open: ({ session, services }, { options: { prompt }, root }) => ({
    tools: [],
    bounds: [],
    ...(isOfProject(prompt, session, services.config) && {
      withMessage: (attempt) =>
        withPrompt(attempt, {
          head: (choice) => `The command /${choice.name} of the project:\n\n`,
          told: (choice) => ({
            kind: 'project-prompt',
            text: `The message has the text of the project’s command /${choice.name}.`,
          }),
          get: async (choice) => {
            const { value } = await services.projectRoots.files.read(projectOf(root));
            return getProjectPrompt(value.prompts, choice);
          },
        }),
    }),
  }),
};

/** Reads a skill of a project in the form that Claude Code has for it. */
export const parseProjectSkill: ParseSkill = (text, name) => {
  const file = `.claude/skills/${name}/SKILL.md`;
  const { skill, prompt, findings } = convertSkill({ text }, { file, name, kind: 'skill' });
  if (skill !== undefined) return { skill, faults: [] };
  // People alone may call it, or nobody.
  if (prompt !== undefined || findings[0]?.verdict === 'same') return undefined;
  return { faults: [{ line: 1, message: findings.at(-1)?.how ?? 'it is no skill' }] };
};
