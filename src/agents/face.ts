/** Agents and skills, as files and code define them. For wires and features. */

export { AgentsModule } from './agents.module.js';
export type { AgentProblem } from './check-agents.js';
export { readInside } from './find-skills.js';
export type { Persona } from './parse-agent-file.js';
export { PersonaLibrary } from './persona-library.js';
export { DEFAULT_PERSONA, namesLike } from './persona-name.js';
export type { ParseSkill, Skill } from './skill-file.js';
export { chooseSkills, SkillLibrary } from './skill-library.js';
export type { AgentSummary } from './summarize-agent.js';
