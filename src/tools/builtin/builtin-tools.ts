import type { Shells } from '../sandbox/shells.js';
import type { ToolDefinition } from '../tool.js';
import { bashTool } from './bash.js';
import { editTool, readTool, writeTool } from './file-tools.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { taskTool } from './task.js';
import { todoWriteTool } from './todo-write.js';

/** What every server has. Which of them a turn gets is for its options and permissions to say. */
export function builtinTools(shells: Shells): readonly ToolDefinition[] {
  return [
    readTool,
    writeTool,
    editTool,
    globTool,
    grepTool,
    bashTool(shells),
    todoWriteTool,
    taskTool,
  ];
}
