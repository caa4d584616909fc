import type { Shells } from '../shells.js';
import type { ToolDefinition } from '../tool.js';
import { bashTool } from './bash.js';
import { editTool, readTool, writeTool } from './file-tools.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { loadSkillTool, readSkillFileTool } from './skill-tools.js';
import { resourcesTool } from './mcp-resources.js';
import { memoryTool } from './memory.js';
import { taskTool } from './task.js';
import { todoWriteTool } from './todo-write.js';

/** The tools of every server. A turn's options and permissions decide which of them it gets. */
export function builtinTools(shells: Shells): readonly ToolDefinition[] {
  return [
    readTool,
    writeTool,
    editTool,
    globTool,
    grepTool,
    bashTool(shells),
    todoWriteTool,
    memoryTool,
    taskTool,
    loadSkillTool,
    readSkillFileTool,
    resourcesTool,
  ];
}
