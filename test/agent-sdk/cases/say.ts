import type { Json, UserInput } from '../agent-sdk.js';
import type { Reply } from '../scripted-messages.js';

/** Replies of the model, for the scripts of cases. */

export function says(text: string): Reply {
  return { text };
}

/** Calls tools at once, after a text if there is one. */
export function calls(...parts: readonly (string | readonly [name: string, input: Json])[]): Reply {
  return {
    parts: parts.map((part) =>
      typeof part === 'string'
        ? { text: part }
        : { call: { name: part[0], input: JSON.stringify(part[1]) } },
    ),
  };
}

export function write(file: string, content = 'new\n'): readonly [string, Json] {
  return ['Write', { file_path: `<project>/${file}`, content }];
}

export function read(file: string): readonly [string, Json] {
  return ['Read', { file_path: `<project>/${file}` }];
}

export function edit(file: string, from: string, to: string): readonly [string, Json] {
  return ['Edit', { file_path: `<project>/${file}`, old_string: from, new_string: to }];
}

export function bash(command: string): readonly [string, Json] {
  return ['Bash', { command, description: 'Runs it' }];
}

/** A message of a prompt of several. */
export function userInput(content: string): UserInput {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

/** A script of one thread. */
export function script(...replies: readonly Reply[]): readonly [{ replies: readonly Reply[] }] {
  return [{ replies }];
}
